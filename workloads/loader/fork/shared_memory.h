// SPDX-License-Identifier: Apache-2.0
// Memory that a process shares with its forked children.
#pragma once

#include <cstddef>
#include <utility>

namespace stepbench::loader {

// Anonymous memory shared with processes that are forked later. Zeroed; whole pages.
class SharedMemory {
 public:
  enum class Pages : bool { kOnUse, kNow };  // kNow: faulted in before anything is timed
  // Throws std::bad_alloc.
  explicit SharedMemory(std::size_t bytes, Pages pages = Pages::kOnUse);
  SharedMemory(SharedMemory&& other) noexcept
      : data_(std::exchange(other.data_, nullptr)), bytes_(std::exchange(other.bytes_, 0)) {}
  SharedMemory& operator=(SharedMemory&&) = delete;
  ~SharedMemory();

  [[nodiscard]] std::byte* data() const { return data_; }
  [[nodiscard]] std::size_t bytes() const { return bytes_; }

 private:
  std::byte* data_ = nullptr;
  std::size_t bytes_ = 0;
};

[[nodiscard]] std::size_t whole_pages(std::size_t bytes);

}  // namespace stepbench::loader
