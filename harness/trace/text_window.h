// SPDX-License-Identifier: Apache-2.0
// The part of a file's text that a parser works on. Parts are cut anywhere: a parser that reaches
// the end inside a row asks for more and restarts the row. One thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string_view>

#include "harness/trace/byte_source.h"

namespace stepbench::trace {

class TextWindow {
 public:
  static constexpr std::size_t kRunBytes = std::size_t{1} << 20;
  static constexpr std::size_t kPadding = 16;  // readable zeros after the end

  // `max_bytes`: limit on the text, against decompression bombs.
  TextWindow(ByteSource& source, std::uint64_t max_bytes);

  [[nodiscard]] const char* begin() const { return buffer_.get() + begin_; }
  [[nodiscard]] const char* end() const { return buffer_.get() + end_; }  // *end() is 0
  void consume_to(const char* at) { begin_ = static_cast<std::size_t>(at - buffer_.get()); }

  // Appends text; may move the whole buffer, which invalidates pointers. Returns false if there is
  // no more text. Keeps unconsumed text; throws Overlong beyond `max_piece` bytes of it.
  struct Overlong {};
  [[nodiscard]] bool more(std::size_t max_piece);

  [[nodiscard]] std::uint64_t offset(const char* at) const {  // in the whole text, from 0
    return base_ + static_cast<std::uint64_t>(at - buffer_.get());
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

}  // namespace stepbench::trace
