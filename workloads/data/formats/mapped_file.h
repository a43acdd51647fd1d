// SPDX-License-Identifier: Apache-2.0
// A file mapped for reading.
#pragma once

#include <cstddef>
#include <span>
#include <string>

namespace stepbench {

// A regular file, mapped for reading. Any thread. Whoever cuts a file while it is mapped ends the
// process by SIGBUS, as with every program that maps files.
class MappedFile {
 public:
  // Throws ConfigError naming the file: absent, unreadable, no regular file, or empty.
  explicit MappedFile(std::string path);
  ~MappedFile();
  MappedFile(const MappedFile&) = delete;  // share it by pointer
  MappedFile& operator=(const MappedFile&) = delete;

  [[nodiscard]] const std::string& path() const { return path_; }
  [[nodiscard]] std::span<const std::byte> bytes() const { return bytes_; }
  // Gives up the pages that this process has touched, so that the kernel may forget them; they are
  // read again when they are used again.
  void release_pages() const;

 private:
  std::string path_;
  std::span<const std::byte> bytes_;
};

}  // namespace stepbench
