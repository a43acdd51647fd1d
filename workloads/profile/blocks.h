// SPDX-License-Identifier: Apache-2.0
// A list that grows by blocks, so that its elements never move.
#pragma once

#include <cstddef>
#include <memory>
#include <vector>

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

}  // namespace stepbench::profile
