// SPDX-License-Identifier: Apache-2.0
#include "harness/trace/text_window.h"

#include <algorithm>
#include <cstring>

namespace stepbench::trace {

TextWindow::TextWindow(ByteSource& source, std::uint64_t max_bytes)
    : source_(source), max_bytes_(max_bytes) {
  make_room(kRunBytes);
  std::memset(buffer_.get(), 0, kPadding);
}

void TextWindow::make_room(std::size_t bytes) {
  if (bytes <= capacity_) return;
  auto grown = std::make_unique_for_overwrite<char[]>(bytes + kPadding);
  if (end_ > begin_) std::memcpy(grown.get(), buffer_.get() + begin_, end_ - begin_);
  buffer_ = std::move(grown);
  capacity_ = bytes;
  end_ -= begin_;
  base_ += begin_;
  begin_ = 0;
}

bool TextWindow::more(std::size_t max_piece) {
  const std::size_t buffered = end_ - begin_;
  if (buffered > max_piece) throw Overlong{};
  if (source_.text_bytes() >= max_bytes_) {
    too_much_ = true;
    return false;
  }
  make_room(std::max(kRunBytes, buffered * 2 + kRunBytes / 2));
  if (begin_ > 0) {
    std::memmove(buffer_.get(), buffer_.get() + begin_, buffered);
    base_ += begin_;
    begin_ = 0;
    end_ = buffered;
  }
  const std::size_t got = source_.read(buffer_.get() + end_, capacity_ - end_);
  end_ += got;
  std::memset(buffer_.get() + end_, 0, kPadding);
  return got > 0;
}

}  // namespace stepbench::trace
