// SPDX-License-Identifier: Apache-2.0
// Compact encoding of the shapes of an operation's inputs, written while it runs.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace stepbench::profile {

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

}  // namespace stepbench::profile
