// SPDX-License-Identifier: Apache-2.0
// The native collector's record of one thread while steps run, in memory that never moves:
// operations, their names by number, the shapes of their inputs in a compact form. Written by its
// thread only, except for the end of an op that ends elsewhere; read when the collector has
// stopped.
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <deque>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "harness/ops/op_log.h"

namespace stepbench::profile {

// Records of one thread with stable addresses. Appending takes a pointer from the current block; a
// new block is allocated, and touched, only when all reserved ones are full.
template <typename T, std::size_t kPerBlock>
class Blocks {
 public:
  [[nodiscard]] T& append() {
    if (next_ == end_) open_block();
    return *next_++;
  }

  // Reserves blocks for `records` more records.
  void reserve(std::size_t records) {
    const std::size_t free = static_cast<std::size_t>(end_ - next_) + kPerBlock * unopened();
    for (std::size_t have = free; have < records; have += kPerBlock) add_block();
  }

  [[nodiscard]] std::size_t size() const {
    return opened_ * kPerBlock - static_cast<std::size_t>(end_ - next_);
  }
  [[nodiscard]] const T& operator[](std::size_t i) const {
    return blocks_[i / kPerBlock][i % kPerBlock];
  }
  [[nodiscard]] T& operator[](std::size_t i) { return blocks_[i / kPerBlock][i % kPerBlock]; }

 private:
  [[nodiscard]] std::size_t unopened() const { return blocks_.size() - opened_; }
  void add_block() { blocks_.push_back(std::make_unique<T[]>(kPerBlock)); }
  void open_block() {
    if (unopened() == 0) add_block();
    next_ = blocks_[opened_++].get();
    end_ = next_ + kPerBlock;
  }

  std::vector<std::unique_ptr<T[]>> blocks_;
  std::size_t opened_ = 0;
  T* next_ = nullptr;
  T* end_ = nullptr;
};

// Ids for the names on one thread, in order of first use. Names are copied: those of backward
// functions and annotations are only valid during their call. Allocates only for a new name.
class NameCache {
 public:
  [[nodiscard]] std::uint32_t id(const char* text) {
    const std::size_t size = std::strlen(text);
    Entry& entry = entries_[slot(text, size)];
    if (entry.size == size && std::memcmp(entry.text, text, size) == 0) [[likely]]
      return entry.id;
    return look_up({text, size}, entry);
  }
  [[nodiscard]] const std::deque<std::string>& names() const { return names_; }

 private:
  struct Entry {
    const char* text = "";
    std::size_t size = SIZE_MAX;
    std::uint32_t id = 0;
  };
  static constexpr std::size_t kEntries = 1024;

  // Mixes head and tail, because names share prefixes (aten::, autograd::engine::evaluate_function:
  // ).
  [[nodiscard]] static std::size_t slot(const char* text, std::size_t size) {
    std::uint64_t head = 0;
    std::uint64_t tail = 0;
    if (size >= 2 * sizeof head) {
      std::memcpy(&head, text + size - 2 * sizeof head, sizeof head);
      std::memcpy(&tail, text + size - sizeof tail, sizeof tail);
    } else if (size >= sizeof head) {
      std::memcpy(&head, text, sizeof head);
      std::memcpy(&tail, text + size - sizeof tail, sizeof tail);
    } else {
      std::memcpy(&tail, text, size);
    }
    constexpr std::uint64_t kHashMultiplier = 0x9E3779B97F4A7C15U;  // 2^64 / golden ratio
    const std::uint64_t mixed = ((head ^ (tail << 7U) ^ (tail >> 13U)) + size) * kHashMultiplier;
    return static_cast<std::size_t>(mixed >> 54U);
  }
  static_assert(kEntries == std::size_t{1} << (64U - 54U));

  std::uint32_t look_up(std::string_view text, Entry& entry);

  std::array<Entry, kEntries> entries_{};
  std::deque<std::string> names_;
  std::unordered_map<std::string_view, std::uint32_t> index_;  // into names_
};

// Shapes of op inputs as words: the number of words that follow, then for each input the number of
// its extents and these. Inputs other than tensors have none. For ops that need them, a word
// kArguments follows, and for each input its kind and its value. Appending allocates when all
// reserved chunks are full.
class ShapeWords {
 public:
  // Call begin(), then add() per input, then finish(), whose address stays valid.
  void begin() {
    if (end_ - next_ < kLongest) open_chunk();
    at_ = next_ + 1;
  }
  void add(std::span<const std::int64_t> extents) {
    if (static_cast<std::ptrdiff_t>(extents.size()) >= room()) return;
    *at_++ = static_cast<std::int64_t>(extents.size());
    at_ = std::copy(extents.begin(), extents.end(), at_);
  }
  enum class Argument : std::int64_t { kNone, kInteger, kTruth, kList, kTruths };
  static constexpr std::int64_t kArguments = -1;
  void begin_arguments() {
    if (room() > 0) *at_++ = kArguments;
  }
  void add_argument(Argument kind, std::span<const std::int64_t> values = {}) {
    if (room() < static_cast<std::ptrdiff_t>(values.size()) + 2) return;
    *at_++ = static_cast<std::int64_t>(kind);
    *at_++ = static_cast<std::int64_t>(values.size());
    at_ = std::copy(values.begin(), values.end(), at_);
  }
  [[nodiscard]] const std::int64_t* finish() {
    const std::int64_t* first = next_;
    *next_ = at_ - next_ - 1;
    next_ = at_;
    return first;
  }

  void reserve(std::size_t words);
  [[nodiscard]] std::size_t size() const { return opened_ * kChunk; }  // upper bound

 private:
  static constexpr std::ptrdiff_t kLongest = 512;  // further inputs are dropped
  static constexpr std::size_t kChunk = 16384;

  [[nodiscard]] std::ptrdiff_t room() const { return next_ + kLongest - at_; }
  void add_chunk() { chunks_.push_back(std::make_unique<std::int64_t[]>(kChunk)); }
  void open_chunk() {
    if (opened_ == chunks_.size()) add_chunk();
    next_ = chunks_[opened_++].get();
    end_ = next_ + kChunk;
  }

  std::vector<std::unique_ptr<std::int64_t[]>> chunks_;
  std::size_t opened_ = 0;
  std::int64_t* next_ = nullptr;
  std::int64_t* end_ = nullptr;
  std::int64_t* at_ = nullptr;
};

// "[[8, 32], [32, 32], []]": the format of torch.profiler, for three inputs.
[[nodiscard]] std::string shapes_text(const std::int64_t* words);
// ["", "[2, 2]", "True", "1"]: concrete inputs in the format of torch.profiler; empty if there are
// none.
[[nodiscard]] std::string arguments_text(const std::int64_t* words);

class OpListener;
struct ThreadLog;

struct OpRecord {
  std::uint64_t start = 0;            // ticks
  std::atomic<std::uint64_t> end{0};  // ticks; 0: not ended
  std::int64_t sequence = -1;
  ThreadLog* log = nullptr;
  OpRecord* enclosing = nullptr;  // innermost open op on this thread at its begin
  const void* module = nullptr;
  const std::int64_t* shapes = nullptr;  // ShapeWords
  std::uint32_t name = 0;
  std::uint32_t ordinal = 0;         // in its thread's log
  std::uint32_t forward_thread = 0;  // torch's number; 0: none
  std::uint32_t end_thread = 0;      // torch's number
  std::uint8_t scope = 0;            // OpScope
  bool async = false;
  alignas(8) std::byte context[16];  // torch's observer context lives here: no allocation per op
};

struct MemoryRecord {
  std::uint64_t at = 0;  // ticks
  std::int64_t bytes = 0;
  std::uint64_t address = 0;
  std::int64_t total_allocated = 0;
  std::int64_t total_reserved = 0;
  std::int16_t device = -1;
};

struct ThreadLog {
  ThreadLog(std::uint32_t index, std::uint32_t torch_thread, OpListener* listener);

  const std::uint32_t index;         // among the collector's threads
  const std::uint32_t torch_thread;  // at::RecordFunction::currentThreadId()
  const std::int64_t kernel_thread;  // gettid()
  const std::string thread_name;
  OpListener* const listener;     // may be null
  OpRecord* innermost = nullptr;  // innermost open op
  std::uint32_t next_ordinal = 0;
  const void* module = nullptr;  // currently running on this thread
  Blocks<OpRecord, 8192> ops;
  Blocks<MemoryRecord, 4096> memory;
  ShapeWords shapes;
  NameCache names;

  // Id for the device tracer; unique over threads and above 0.
  [[nodiscard]] std::uint64_t id_of(const OpRecord& op) const {
    return (static_cast<std::uint64_t>(index) << 32U) + op.ordinal + 1;
  }
};

}  // namespace stepbench::profile
