// SPDX-License-Identifier: Apache-2.0
// Reads a tar file entry by entry.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace stepbench::data {

// The regular files of a tar archive, in order. One thread. Throws Error naming the archive and the
// entry's offset.
class TarReader {
 public:
  explicit TarReader(std::string path);
  ~TarReader();
  TarReader(const TarReader&) = delete;
  TarReader& operator=(const TarReader&) = delete;

  struct Entry {
    std::string name;
    std::uint64_t offset = 0;  // of its header
    std::uint64_t bytes = 0;
  };
  // Returns false at the end. A file without entries that is not an empty archive is an error.
  [[nodiscard]] bool next(Entry& entry);
  // Reads the content of the last entry.
  void read(const Entry& entry, std::uint64_t max_bytes, std::vector<std::byte>& content);

  [[nodiscard]] const std::string& path() const { return path_; }

 private:
  std::string path_;
  std::unique_ptr<void, void (*)(void*)> archive_;  // struct archive
  bool any_ = false;
};

}  // namespace stepbench::data
