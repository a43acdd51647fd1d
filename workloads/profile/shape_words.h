// SPDX-License-Identifier: Apache-2.0
// Shapes of an operation's inputs in few words of memory, written while it runs.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace stepbench::profile {

// Shapes of the inputs of ops as words: how many words follow, then for each input how many extents
// it has and these. An input that is no tensor has none. After them, for ops that ask, a word
// kArguments and for each input its kind and its value. Appending allocates when all reserved
// chunks are full.
class ShapeWords {
 public:
  // begin(), then add() per input, then the address from finish(), which stays good.
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
  [[nodiscard]] std::size_t size() const { return opened_ * kChunk; }  // at most

 private:
  static constexpr std::ptrdiff_t kLongest = 512;  // inputs beyond are left out
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

// "[[8, 32], [32, 32], []]", as torch.profiler prints the shapes of three inputs.
[[nodiscard]] std::string shapes_text(const std::int64_t* words);
// ["", "[2, 2]", "True", "1"], as torch.profiler prints concrete inputs; empty when there are none.
[[nodiscard]] std::string arguments_text(const std::int64_t* words);

}  // namespace stepbench::profile
