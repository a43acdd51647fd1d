// SPDX-License-Identifier: Apache-2.0
#include "harness/record/input.h"

#include <fcntl.h>
#include <libdeflate.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <new>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "harness/base/error.h"
#include "harness/base/format.h"
#include "harness/os/descriptor.h"
#include "harness/text/numbers.h"

namespace stepbench::record {
namespace {

constexpr std::size_t kHugePage = std::size_t{2} << 20;

[[noreturn]] void fail(const std::filesystem::path& file, int error) {
  throw ConfigError(file.string(), "cannot read: " + std::generic_category().message(error));
}

bool is_gzip(std::string_view text) { return text.starts_with("\x1f\x8b"); }

// A row takes a kilobyte of memory, however short its line; real rows have 100 or more packed
// bytes. Empty lines take no memory.
void refuse_many_lines(const std::filesystem::path& file, std::string_view text,
                       std::size_t packed_bytes, std::size_t always_allowed) {
  constexpr std::size_t kPackedBytesOfALine = 16;
  const std::size_t allowed = std::max(always_allowed, packed_bytes / kPackedBytesOfALine);
  if (text.size() / 2 <= allowed) return;
  std::size_t lines = 0;
  for (std::size_t end = 0; (end = text.find('\n')) != std::string_view::npos;) {
    lines += end > 0 ? 1 : 0;
    text.remove_prefix(end + 1);
  }
  if (lines <= allowed) return;
  throw ConfigError(file.string(),
                    formatted("has {} lines; the limit for its size is {} for its size",
                              text::with_separators(static_cast<std::int64_t>(lines)),
                              text::with_separators(static_cast<std::int64_t>(allowed))));
}

// Measures packed data without keeping it. Stops beyond `most` and at a line that is too long.
struct GzipFacts {
  std::size_t bytes = 0;
  std::size_t longest_line = 0;
};

GzipFacts scan_gzip(std::string_view packed, std::size_t most, std::size_t most_of_line) {
  constexpr int kGzipWindow = 15 + 16;  // maximum window, plus 16 for gzip's header
  GzipFacts facts;
  z_stream stream{};
  if (::inflateInit2(&stream, kGzipWindow) != Z_OK) throw std::bad_alloc();
  const std::unique_ptr<z_stream, int (*)(z_stream*)> end(&stream, ::inflateEnd);
  std::vector<char> piece(std::size_t{256} << 10);
  std::size_t line = 0;
  while (!packed.empty() && facts.bytes <= most && facts.longest_line <= most_of_line) {
    const auto given = static_cast<uInt>(std::min<std::size_t>(packed.size(), 1U << 30));
    stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(packed.data()));
    stream.avail_in = given;
    stream.next_out = reinterpret_cast<Bytef*>(piece.data());
    stream.avail_out = static_cast<uInt>(piece.size());
    const int code = ::inflate(&stream, Z_NO_FLUSH);
    packed.remove_prefix(given - stream.avail_in);
    std::string_view made(piece.data(), piece.size() - stream.avail_out);
    facts.bytes += made.size();
    for (std::size_t newline = 0; (newline = made.find('\n')) != std::string_view::npos; line = 0) {
      facts.longest_line = std::max(facts.longest_line, line + newline);
      made.remove_prefix(newline + 1);
    }
    facts.longest_line = std::max(facts.longest_line, line += made.size());
    if (code == Z_STREAM_END) {
      ::inflateReset(&stream);
    } else if (code != Z_OK) {
      break;  // unpacking reports the error
    }
  }
  return facts;
}

[[noreturn]] void refuse_bomb(const std::filesystem::path& file, std::size_t allowed) {
  throw ConfigError(file.string(),
                    formatted("unpacks to more than {}, far more than a result file of its size",
                              text::byte_text(static_cast<double>(allowed))));
}

std::size_t size_to_unpack(const std::filesystem::path& file, std::string_view packed,
                           std::size_t allowed, std::size_t most_of_line) {
  const GzipFacts facts = scan_gzip(packed, allowed, most_of_line);
  if (facts.longest_line > most_of_line) {
    throw ConfigError(file.string(),
                      formatted("has a line longer than {} in it; no result file has one",
                                text::byte_text(static_cast<double>(most_of_line))));
  }
  if (facts.bytes > allowed) refuse_bomb(file, allowed);
  return facts.bytes + 1;  // also for damaged data: unpacking finds its end
}

}  // namespace

void Input::Free::operator()(char* bytes) const { std::free(bytes); }

// Not zeroed. Large buffers use huge pages: 100 MB in small pages cost more to map than to parse.
Input::Bytes Input::allocate(std::size_t size) {
  const bool huge = size >= 2 * kHugePage;
  const std::size_t unit = huge ? kHugePage : 64;
  const std::size_t whole = (size + kPadding + unit - 1) / unit * unit;
  Bytes bytes(static_cast<char*>(std::aligned_alloc(unit, whole)));
  if (!bytes) throw std::bad_alloc();
  if (huge) (void)::madvise(bytes.get(), whole, MADV_HUGEPAGE);
  return bytes;
}

void Input::grow(Bytes& bytes, std::size_t used, std::size_t size) {
  Bytes larger = allocate(size);
  std::memcpy(larger.get(), bytes.get(), used);
  bytes = std::move(larger);
}

// Unpacks all gzip members into one buffer.
void Input::unpack(const std::filesystem::path& file, const InputLimits& limits) {
  constexpr std::size_t kMaxUnpackedPerByte = 1032;  // deflate cannot expand further
  constexpr std::size_t kUsualRatio = 8;
  const std::unique_ptr<libdeflate_decompressor, void (*)(libdeflate_decompressor*)> decompressor(
      libdeflate_alloc_decompressor(), libdeflate_free_decompressor);
  if (!decompressor) throw std::bad_alloc();
  std::string_view packed = text();
  const std::size_t allowed =
      std::max(limits.unpacked_bytes, packed.size() * limits.unpacked_ratio);
  std::size_t most = std::min(allowed, packed.size() * kMaxUnpackedPerByte + 1);
  // Measures data with an unusual ratio before allocating memory for it.
  const std::size_t packed_bytes = packed.size();
  const std::size_t usual = std::max(limits.unpacked_bytes, packed.size() * kUsualRatio);
  std::size_t capacity = std::min(most, packed.size() * 6 + 4096);
  bool looked = false;
  std::size_t used = 0;
  Bytes bytes = allocate(capacity);
  while (!packed.empty()) {
    std::size_t taken = 0;
    std::size_t made = 0;
    const libdeflate_result result =
        libdeflate_gzip_decompress_ex(decompressor.get(), packed.data(), packed.size(),
                                      bytes.get() + used, capacity - used, &taken, &made);
    if (result == LIBDEFLATE_INSUFFICIENT_SPACE && capacity < most) {
      capacity = std::min(most, capacity * 2);
      if (capacity > usual && !std::exchange(looked, true)) {
        most = capacity = size_to_unpack(file, text(), allowed, limits.line_bytes);
      }
      grow(bytes, used, capacity);
      continue;
    }
    if (result == LIBDEFLATE_INSUFFICIENT_SPACE && most == allowed) refuse_bomb(file, allowed);
    if (result != LIBDEFLATE_SUCCESS || taken == 0) {
      throw ConfigError(file.string(),
                        "truncated or corrupt gzip data; `gzip -cd` shows what is left of it");
    }
    packed.remove_prefix(taken);
    used += made;
  }
  // Real results compress less.
  if (used / kUsualRatio > packed_bytes) {
    refuse_many_lines(file, std::string_view(bytes.get(), used), packed_bytes, limits.packed_lines);
  }
  bytes_ = std::move(bytes);
  size_ = used;
}

Input Input::read(const std::filesystem::path& file, const InputLimits& limits) {
  Input input;
  try {
    input.fill(file, limits);
  } catch (const std::bad_alloc&) {
    throw ConfigError(file.string(), "does not fit into the memory that this process may use");
  }
  return input;
}

void Input::fill(const std::filesystem::path& file, const InputLimits& limits) {
  const os::Descriptor descriptor(::open(file.c_str(), O_RDONLY | O_CLOEXEC));
  if (!descriptor.is_open()) fail(file, errno);
  struct stat facts {};
  if (::fstat(descriptor.value(), &facts) != 0) fail(file, errno);
  if (S_ISDIR(facts.st_mode)) fail(file, EISDIR);
  // Limits inputs of unknown size, which may be endless.
  const std::size_t most = S_ISREG(facts.st_mode)   ? SIZE_MAX
                           : S_ISCHR(facts.st_mode) ? limits.device_bytes
                                                    : limits.piped_bytes;
  std::size_t capacity = std::max<std::size_t>(static_cast<std::size_t>(facts.st_size) + 1, 4096);
  bytes_ = allocate(capacity);
  for (;;) {  // a pipe, or a growing file
    if (size_ == capacity) grow(bytes_, size_, capacity *= 2);
    const ssize_t got = ::read(descriptor.value(), bytes_.get() + size_, capacity - size_);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) fail(file, errno);
    if (got == 0) break;
    size_ += static_cast<std::size_t>(got);
    if (size_ > most) {
      throw ConfigError(file.string(), formatted("does not end within {}; name a file with results",
                                                 text::byte_text(static_cast<double>(most))));
    }
  }
  if (is_gzip(text())) unpack(file, limits);
  std::memset(bytes_.get() + size_, 0, kPadding);
}

void Input::forget(std::size_t bytes) {
  // The buffer begins at a huge page; smaller amounts are not worth a call.
  const std::size_t whole = bytes / kHugePage * kHugePage;
  if (whole <= forgotten_) return;
  (void)::madvise(bytes_.get() + forgotten_, whole - forgotten_, MADV_DONTNEED);
  forgotten_ = whole;
}

std::string gzip_text(std::string_view text, int level) {
  const std::unique_ptr<libdeflate_compressor, void (*)(libdeflate_compressor*)> compressor(
      libdeflate_alloc_compressor(level), libdeflate_free_compressor);
  if (!compressor) throw std::bad_alloc();
  std::string packed(libdeflate_gzip_compress_bound(compressor.get(), text.size()), '\0');
  packed.resize(libdeflate_gzip_compress(compressor.get(), text.data(), text.size(), packed.data(),
                                         packed.size()));
  return packed;
}

}  // namespace stepbench::record
