// SPDX-License-Identifier: Apache-2.0
// Lines on a file descriptor. One thread per object.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "harness/protocol/messages.h"

namespace stepbench::protocol {

// Writes all of `line` and a newline, blocking; handles EINTR and short writes. Returns false if
// the reader is gone (EPIPE, ECONNRESET); raises no SIGPIPE on a socket. Throws Error with the
// reason for other failures.
[[nodiscard]] bool write_line(int descriptor, std::string_view line);

// Splits a stream of bytes into lines; holds at most one unfinished line of `max_line_bytes`.
class LineBuffer {
 public:
  explicit LineBuffer(std::size_t max_line_bytes = kMaxLineBytes) : limit_(max_line_bytes) {}

  void append(std::string_view bytes);
  // Returns the next whole line without its newline, valid until the next call of any member.
  // Throws Error if a line exceeds the limit.
  [[nodiscard]] std::optional<std::string_view> next();
  [[nodiscard]] std::string_view rest() const;  // the unfinished line

 private:
  std::size_t limit_;
  std::string bytes_;
  std::size_t begin_ = 0;    // start of the current line
  std::size_t scanned_ = 0;  // searched up to here
};

// Blocking reader of lines.
class LineReader {
 public:
  explicit LineReader(int descriptor, std::size_t max_line_bytes = kMaxLineBytes)
      : descriptor_(descriptor), buffer_(max_line_bytes) {}
  // nullopt at the end of the stream; drops an unfinished last line. Throws Error.
  [[nodiscard]] std::optional<std::string_view> next();

 private:
  int descriptor_;
  LineBuffer buffer_;
};

}  // namespace stepbench::protocol
