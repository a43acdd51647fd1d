// SPDX-License-Identifier: Apache-2.0
#include "harness/traces/internal/byte_source.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <string>
#include <system_error>

#include "harness/base/error.h"
#include "harness/base/format.h"

namespace stepbench::traces {
namespace {

constexpr std::size_t kStoredBytes = std::size_t{256} << 10;
constexpr int kGzipWindow = 15 + 16;  // the largest window, plus gzip header detection

bool is_gzip(const char* bytes, std::size_t size) {
  return size >= 2 && bytes[0] == '\x1f' && bytes[1] == '\x8b';
}

}  // namespace

struct ByteSource::Inflater {
  z_stream stream = {};
  bool in_member = true;
  Inflater() { ready = ::inflateInit2(&stream, kGzipWindow) == Z_OK; }
  Inflater(const Inflater&) = delete;
  Inflater& operator=(const Inflater&) = delete;
  ~Inflater() { ::inflateEnd(&stream); }
  bool ready = false;
};

// Opening does not wait for a writer: a pipe without one is treated as an empty file.
ByteSource::ByteSource(const std::filesystem::path& path)
    : path_(path), stored_(std::make_unique_for_overwrite<char[]>(kStoredBytes)) {
  descriptor_ = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
  if (descriptor_ < 0) throw ConfigError(path, std::generic_category().message(errno));
  struct stat status = {};
  const bool known = ::fstat(descriptor_, &status) == 0;
  const bool readable = known && (S_ISREG(status.st_mode) || S_ISFIFO(status.st_mode));
  if (!readable) {
    const bool folder = known && S_ISDIR(status.st_mode);
    ::close(descriptor_);
    throw ConfigError(path, folder ? "is a folder; name a trace in it" : "is not a file");
  }
  (void)::fcntl(descriptor_, F_SETFL, ::fcntl(descriptor_, F_GETFL) & ~O_NONBLOCK);
  try {
    while (stored_end_ < 2) {  // a pipe may deliver single bytes
      const std::size_t got = read_stored(stored_.get() + stored_end_, kStoredBytes - stored_end_);
      if (got == 0) break;
      stored_end_ += got;
    }
    if (stored_end_ == 0) fail("is empty");
    if (is_gzip(stored_.get(), stored_end_)) {
      inflater_ = std::make_unique<Inflater>();
      if (!inflater_->ready) fail("no memory to unpack it");
    }
  } catch (...) {
    ::close(descriptor_);
    throw;
  }
}

ByteSource::~ByteSource() { ::close(descriptor_); }

std::size_t ByteSource::read_stored(char* to, std::size_t bytes) {
  for (;;) {
    const ssize_t got = ::read(descriptor_, to, bytes);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) fail("cannot be read: " + std::generic_category().message(errno));
    stored_bytes_ += std::uint64_t(got);
    return std::size_t(got);
  }
}

std::size_t ByteSource::read(char* to, std::size_t bytes) {
  std::size_t got = 0;
  if (inflater_) {
    got = inflate(to, bytes);
  } else if (stored_at_ < stored_end_) {
    got = std::min(bytes, stored_end_ - stored_at_);
    std::memcpy(to, stored_.get() + stored_at_, got);
    stored_at_ += got;
  } else {
    got = read_stored(to, bytes);
  }
  text_bytes_ += got;
  return got;
}

void ByteSource::refill() {
  stored_at_ = 0;
  stored_end_ = read_stored(stored_.get(), kStoredBytes);
}

// A gzip file has one member or several in a row. Zeros may follow the last one.
void ByteSource::begin_member() {
  while (stored_end_ - stored_at_ < 2) {
    std::memmove(stored_.get(), stored_.get() + stored_at_, stored_end_ - stored_at_);
    stored_end_ -= stored_at_;
    stored_at_ = 0;
    const std::size_t got = read_stored(stored_.get() + stored_end_, kStoredBytes - stored_end_);
    if (got == 0) break;
    stored_end_ += got;
  }
  if (is_gzip(stored_.get() + stored_at_, stored_end_ - stored_at_)) {
    ::inflateReset(&inflater_->stream);
    inflater_->in_member = true;
    return;
  }
  while (stored_at_ < stored_end_) {
    const char* const rest = stored_.get() + stored_at_;
    const char* const end = stored_.get() + stored_end_;
    const char* const other = std::find_if(rest, end, [](char c) { return c != '\0'; });
    if (other != end) {
      fail(formatted("stored byte {}: not a gzip member, although one ended before it",
                     stored_bytes_ - std::uint64_t(end - other)));
    }
    refill();
  }
}

std::size_t ByteSource::inflate(char* to, std::size_t bytes) {
  z_stream& stream = inflater_->stream;
  stream.next_out = reinterpret_cast<Bytef*>(to);
  stream.avail_out = static_cast<uInt>(std::min(bytes, std::size_t{1} << 30));
  const uInt wanted = stream.avail_out;
  while (stream.avail_out == wanted) {
    if (!inflater_->in_member) {
      begin_member();
      if (!inflater_->in_member) return 0;
    }
    if (stored_at_ == stored_end_) refill();
    if (stored_end_ == 0) {
      fail(formatted(
          "stored byte {}: the gzip file ends in the middle; it was cut, or is still being written",
          stored_bytes_));
    }
    stream.next_in = reinterpret_cast<Bytef*>(stored_.get() + stored_at_);
    stream.avail_in = static_cast<uInt>(stored_end_ - stored_at_);
    const int code = ::inflate(&stream, Z_NO_FLUSH);
    stored_at_ = stored_end_ - stream.avail_in;
    if (code == Z_STREAM_END) {
      inflater_->in_member = false;
    } else if (code != Z_OK && code != Z_BUF_ERROR) {
      const std::uint64_t at = stored_bytes_ - stream.avail_in;
      fail(formatted("stored byte {}: damaged gzip data{}", at,
                     stream.msg != nullptr ? std::string(" (") + stream.msg + ')' : std::string()));
    }
  }
  return wanted - stream.avail_out;
}

void ByteSource::fail(const std::string& what) const { throw ConfigError(path_, what); }

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

}  // namespace stepbench::traces
