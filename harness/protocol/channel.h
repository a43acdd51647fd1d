// SPDX-License-Identifier: Apache-2.0
// Lines on a file descriptor. One thread per object.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "harness/protocol/messages.h"

namespace stepbench::protocol {

// Writes all of `line` and a newline, blocking; repeats after EINTR and short writes. False when
// the reader is gone (EPIPE, ECONNRESET): on a socket this raises no SIGPIPE. Throws Error naming
// the reason for anything else.
[[nodiscard]] bool write_line(int descriptor, std::string_view line);

// Cuts a stream of bytes into lines and holds at most one unfinished line of `max_line_bytes`.
class LineBuffer {
 public:
  explicit LineBuffer(std::size_t max_line_bytes = kMaxLineBytes) : limit_(max_line_bytes) {}

  void append(std::string_view bytes);
  // The next whole line without its newline, valid until the next call of any member. Throws Error
  // when a line is longer than the limit.
  [[nodiscard]] std::optional<std::string_view> next();
  [[nodiscard]] std::string_view rest() const;  // of an unfinished line

 private:
  std::size_t limit_;
  std::string bytes_;
  std::size_t begin_ = 0;    // of the current line
  std::size_t scanned_ = 0;  // no newline before here
};

// Blocking reader of lines.
class LineReader {
 public:
  explicit LineReader(int descriptor, std::size_t max_line_bytes = kMaxLineBytes)
      : descriptor_(descriptor), buffer_(max_line_bytes) {}
  // Nothing at the end of the stream; an unfinished last line is dropped. Throws Error.
  [[nodiscard]] std::optional<std::string_view> next();

 private:
  int descriptor_;
  LineBuffer buffer_;
};

}  // namespace stepbench::protocol
