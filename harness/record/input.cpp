// SPDX-License-Identifier: Apache-2.0
#include "harness/record/input.h"

#include <fcntl.h>
#include <libdeflate.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <limits>
#include <new>
#include <string>
#include <system_error>
#include <tuple>
#include <utility>

#include "harness/error.h"

namespace stepbench {
namespace {

using Bytes = std::unique_ptr<char[]>;

struct Descriptor {
  int number;
  explicit Descriptor(int opened) : number(opened) {}
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  ~Descriptor() {
    if (number >= 0) ::close(number);
  }
};

[[noreturn]] void fail(const std::filesystem::path& file, int error) {
  throw ConfigError(file.string(), "cannot read: " + std::generic_category().message(error));
}

Bytes allocate(std::size_t size) {
  Bytes bytes(new char[size + Input::kPadding]);  // not zeroed: large files
  std::memset(bytes.get() + size, 0, Input::kPadding);
  return bytes;
}

void grow(Bytes& bytes, std::size_t used, std::size_t size) {
  Bytes larger = allocate(size);
  std::memcpy(larger.get(), bytes.get(), used);
  bytes = std::move(larger);
}

// One gzip member after the other into one buffer.
std::pair<Bytes, std::size_t> unpack(const std::filesystem::path& file, std::string_view packed) {
  constexpr std::size_t kMostPerByte = 1032;  // deflate cannot expand further
  const std::unique_ptr<libdeflate_decompressor, void (*)(libdeflate_decompressor*)> decompressor(
      libdeflate_alloc_decompressor(), libdeflate_free_decompressor);
  if (!decompressor) throw std::bad_alloc();
  const std::size_t most = packed.size() * kMostPerByte + 1;
  std::size_t capacity = std::min(most, packed.size() * 6 + 4096);
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
      grow(bytes, used, capacity);
      continue;
    }
    if (result != LIBDEFLATE_SUCCESS || taken == 0) {
      throw ConfigError(file.string(),
                        "truncated or corrupt gzip data; `gzip -cd` shows what is left of it");
    }
    packed.remove_prefix(taken);
    used += made;
  }
  std::memset(bytes.get() + used, 0, Input::kPadding);
  return {std::move(bytes), used};
}

bool is_gzip(std::string_view text) { return text.starts_with("\x1f\x8b"); }

}  // namespace

Input Input::read(const std::filesystem::path& file) {
  const Descriptor descriptor(::open(file.c_str(), O_RDONLY | O_CLOEXEC));
  if (descriptor.number < 0) fail(file, errno);
  struct stat facts {};
  if (::fstat(descriptor.number, &facts) != 0) fail(file, errno);
  if (S_ISDIR(facts.st_mode)) fail(file, EISDIR);
  std::size_t capacity = std::max<std::size_t>(static_cast<std::size_t>(facts.st_size) + 1, 4096);
  Input input;
  input.bytes_ = allocate(capacity);
  for (;;) {  // a pipe, or a file that grows while it is read
    if (input.size_ == capacity) grow(input.bytes_, input.size_, capacity *= 2);
    const ssize_t got =
        ::read(descriptor.number, input.bytes_.get() + input.size_, capacity - input.size_);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) fail(file, errno);
    if (got == 0) break;
    input.size_ += static_cast<std::size_t>(got);
  }
  std::memset(input.bytes_.get() + input.size_, 0,
              std::min(kPadding, capacity - input.size_ + kPadding));
  if (is_gzip(input.text())) std::tie(input.bytes_, input.size_) = unpack(file, input.text());
  return input;
}

}  // namespace stepbench
