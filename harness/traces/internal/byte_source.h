// SPDX-License-Identifier: Apache-2.0
// The text of a file, plain or gzip by its first bytes, as a stream, and the part of it that a
// parser works on. One thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>

namespace stepbench::traces {

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

// The part of a file's text that a parser works on. Parts are cut anywhere: a parser that reaches
// the end inside a row asks for more and restarts the row.
class TextWindow {
 public:
  static constexpr std::size_t kRunBytes = std::size_t{1} << 20;
  static constexpr std::size_t kPadding = 16;  // readable zeros after the end

  // `max_bytes`: limit on the text, against decompression bombs.
  TextWindow(ByteSource& source, std::uint64_t max_bytes);

  [[nodiscard]] const char* begin() const { return buffer_.get() + begin_; }
  [[nodiscard]] const char* end() const { return buffer_.get() + end_; }  // *end() is 0
  void consume_to(const char* at) { begin_ = std::size_t(at - buffer_.get()); }

  // Appends text; may move the whole buffer, which invalidates pointers. Returns false if there is
  // no more text. Keeps unconsumed text; throws Overlong beyond `max_piece` bytes of it.
  struct Overlong {};
  [[nodiscard]] bool more(std::size_t max_piece);

  [[nodiscard]] std::uint64_t offset(const char* at) const {  // in the whole text, from 0
    return base_ + std::uint64_t(at - buffer_.get());
  }
  [[nodiscard]] bool too_much() const { return too_much_; }  // stopped by `max_bytes`

 private:
  void make_room(std::size_t bytes);

  ByteSource& source_;
  std::uint64_t max_bytes_;
  std::unique_ptr<char[]> buffer_;
  std::size_t capacity_ = 0;
  std::size_t begin_ = 0;
  std::size_t end_ = 0;
  std::uint64_t base_ = 0;  // offset of the buffer's first byte
  bool too_much_ = false;
};

}  // namespace stepbench::traces
