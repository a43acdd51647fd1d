// SPDX-License-Identifier: Apache-2.0
// Streams the text of a file, plain or gzip as its first bytes show. Uses 256 KiB of memory,
// whatever the size of the file. One thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>

namespace stepbench::trace {

class ByteSource {
 public:
  // A file or pipe. Throws ConfigError naming the path if missing, a folder, a device or empty.
  explicit ByteSource(const std::filesystem::path& path);
  ByteSource(const ByteSource&) = delete;
  ByteSource& operator=(const ByteSource&) = delete;
  ~ByteSource();

  // Returns 0 at the end. Throws ConfigError if a gzip file is truncated or damaged.
  [[nodiscard]] std::size_t read(char* to, std::size_t bytes);

  [[nodiscard]] bool compressed() const { return inflater_ != nullptr; }
  [[nodiscard]] std::uint64_t stored_bytes() const { return stored_bytes_; }  // read so far
  [[nodiscard]] std::uint64_t text_bytes() const { return text_bytes_; }

 private:
  struct Inflater;

  [[nodiscard]] std::size_t read_stored(char* to, std::size_t bytes);
  [[nodiscard]] std::size_t inflate(char* to, std::size_t bytes);
  void refill();
  void begin_member();
  [[noreturn]] void fail(const std::string& what) const;

  std::filesystem::path path_;
  int descriptor_ = -1;
  std::uint64_t stored_bytes_ = 0;
  std::uint64_t text_bytes_ = 0;
  std::unique_ptr<char[]> stored_;  // the beginning of a plain file, or the inflater's input
  std::size_t stored_at_ = 0;
  std::size_t stored_end_ = 0;
  std::unique_ptr<Inflater> inflater_;
};

}  // namespace stepbench::trace
