// SPDX-License-Identifier: Apache-2.0
// A file mapped for reading.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include "workloads/data/formats/mapped_faults.h"

namespace stepbench::data {

// A regular file, mapped for reading. Any thread. If the file is truncated while mapped, the lost
// bytes read as zeros: call expect_whole() after reading.
class MappedFile {
 public:
  // Throws ConfigError naming the file if it is missing, unreadable, not a regular file, or empty.
  explicit MappedFile(std::string path);
  ~MappedFile();
  MappedFile(const MappedFile&) = delete;  // share it by pointer
  MappedFile& operator=(const MappedFile&) = delete;

  [[nodiscard]] const std::string& path() const { return path_; }
  [[nodiscard]] std::span<const std::byte> bytes() const { return bytes_; }
  // Throws Error naming the file if some of these bytes were lost when they were read. Call after
  // their last use; has no measurable cost.
  void expect_whole(std::uint64_t offset, std::uint64_t bytes) const {
    if (watch_.lost_from() != FaultWatch::kWhole) expect_before_loss(offset + bytes);
  }
  // Releases the pages that this process has touched, so that the kernel can evict them; they are
  // read again on the next use.
  void release_pages() const;

 private:
  void expect_before_loss(std::uint64_t end) const;

  std::string path_;
  std::span<const std::byte> bytes_;
  FaultWatch watch_;
};

}  // namespace stepbench::data
