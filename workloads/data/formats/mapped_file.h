// SPDX-License-Identifier: Apache-2.0
// A file mapped for reading.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include "workloads/data/formats/mapped_faults.h"

namespace stepbench::data {

// A regular file, mapped for reading. Any thread. Where a file is cut while it is mapped, its bytes
// become zeros: whoever reads some asks expect_whole() afterwards.
class MappedFile {
 public:
  // Throws ConfigError naming the file: absent, unreadable, no regular file, or empty.
  explicit MappedFile(std::string path);
  ~MappedFile();
  MappedFile(const MappedFile&) = delete;  // share it by pointer
  MappedFile& operator=(const MappedFile&) = delete;

  [[nodiscard]] const std::string& path() const { return path_; }
  [[nodiscard]] std::span<const std::byte> bytes() const { return bytes_; }
  // Throws Error naming the file if some of these bytes were gone when they were read. To be called
  // behind the last use of them; costs nothing that can be measured.
  void expect_whole(std::uint64_t offset, std::uint64_t bytes) const {
    if (watch_.lost_from() != FaultWatch::kWhole) expect_before_loss(offset + bytes);
  }
  // Gives up the pages that this process has touched, so that the kernel may forget them; they are
  // read again when they are used again.
  void release_pages() const;

 private:
  void expect_before_loss(std::uint64_t end) const;

  std::string path_;
  std::span<const std::byte> bytes_;
  FaultWatch watch_;
};

}  // namespace stepbench::data
