// SPDX-License-Identifier: Apache-2.0
#include "harness/protocol/messages.h"

#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <system_error>

#include "harness/base/error.h"
#include "harness/base/format.h"

namespace stepbench::protocol {
namespace {

std::string reason(int code) { return std::generic_category().message(code); }

ssize_t write_some(int descriptor, std::string_view bytes) {
  const ssize_t sent = ::send(descriptor, bytes.data(), bytes.size(), MSG_NOSIGNAL);
  if (sent < 0 && errno == ENOTSOCK) return ::write(descriptor, bytes.data(), bytes.size());
  return sent;
}

}  // namespace

bool write_line(int descriptor, std::string_view line) {
  std::string bytes;
  bytes.reserve(line.size() + 1);
  bytes.append(line).push_back('\n');
  std::string_view left = bytes;
  while (!left.empty()) {
    const ssize_t written = write_some(descriptor, left);
    if (written >= 0) {
      left.remove_prefix(static_cast<std::size_t>(written));
    } else if (errno == EPIPE || errno == ECONNRESET) {
      return false;
    } else if (errno == EAGAIN) {
      pollfd writable{descriptor, POLLOUT, 0};
      (void)::poll(&writable, 1, -1);
    } else if (errno != EINTR) {
      throw Error(formatted("cannot write to descriptor {}: {}", descriptor, reason(errno)));
    }
  }
  return true;
}

void LineBuffer::append(std::string_view bytes) {
  if (begin_ > 0) {
    bytes_.erase(0, begin_);
    scanned_ -= begin_;
    begin_ = 0;
  }
  bytes_.append(bytes);
}

std::optional<std::string_view> LineBuffer::next() {
  const std::size_t newline = bytes_.find('\n', scanned_);
  const std::size_t end = newline == std::string::npos ? bytes_.size() : newline;
  if (end - begin_ > limit_) {
    throw Error(formatted("protocol: a line longer than {} bytes", limit_));
  }
  scanned_ = end;
  if (newline == std::string::npos) return std::nullopt;
  const std::string_view line = std::string_view(bytes_).substr(begin_, end - begin_);
  begin_ = scanned_ = newline + 1;
  return line;
}

std::string_view LineBuffer::rest() const { return std::string_view(bytes_).substr(begin_); }

std::optional<std::string_view> LineReader::next() {
  while (true) {
    if (const auto line = buffer_.next()) return line;
    std::array<char, 65536> chunk;
    const ssize_t got = ::read(descriptor_, chunk.data(), chunk.size());
    if (got > 0) {
      buffer_.append({chunk.data(), static_cast<std::size_t>(got)});
    } else if (got == 0 || errno == ECONNRESET) {
      return std::nullopt;
    } else if (errno != EINTR) {
      throw Error(formatted("cannot read from descriptor {}: {}", descriptor_, reason(errno)));
    }
  }
}

}  // namespace stepbench::protocol
