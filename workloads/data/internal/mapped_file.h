// SPDX-License-Identifier: Apache-2.0
// A file mapped for reading, and the numbers in it.
#pragma once

#include <atomic>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <span>
#include <string>

namespace stepbench::data {

// Faults: a mapped file may be truncated, or its disk fail, while it is read. The lost pages then
// read as zeros instead of SIGBUS ending the process, and the mapping knows where they start.

// Watches one mapping for its lifetime. Any thread, and processes forked later: each detects faults
// on its own. The first watch of a process installs a SIGBUS handler, which passes other faults on
// to the previous handler.
class FaultWatch {
 public:
  static constexpr std::uint64_t kWhole = UINT64_MAX;

  FaultWatch() = default;
  FaultWatch(const FaultWatch&) = delete;
  FaultWatch& operator=(const FaultWatch&) = delete;
  ~FaultWatch() { end(); }

  // `mapping` must begin at a page. With very many mappings, further ones stay unwatched.
  void begin(std::span<const std::byte> mapping);
  // Call before unmapping.
  void end();
  // The offset from which on bytes are substituted zeros; kWhole: none are.
  [[nodiscard]] std::uint64_t lost_from() const {
    return lost_from_.load(std::memory_order_relaxed);
  }

 private:
  std::atomic<std::uint64_t> lost_from_ = kWhole;
  std::size_t slot_ = SIZE_MAX;  // in the signal handler's table
};

// A regular file, mapped for reading. Any thread. If the file is truncated while mapped, the lost
// bytes read as zeros: call expect_whole() after reading.
class MappedFile {
 public:
  // Throws ConfigError naming the file if it is missing, unreadable, not a regular file, or empty.
  explicit MappedFile(std::string path);
  ~MappedFile();
  MappedFile(const MappedFile&) = delete;  // share it by pointer
  MappedFile& operator=(const MappedFile&) = delete;

  [[nodiscard]] const std::string& path() const { return path_; }
  [[nodiscard]] std::span<const std::byte> bytes() const { return bytes_; }
  // Throws Error naming the file if some of these bytes were lost when they were read. Call after
  // their last use; has no measurable cost.
  void expect_whole(std::uint64_t offset, std::uint64_t bytes) const {
    if (watch_.lost_from() != FaultWatch::kWhole) expect_before_loss(offset + bytes);
  }
  // Releases the pages that this process has touched, so that the kernel can evict them; they are
  // read again on the next use.
  void release_pages() const;

 private:
  void expect_before_loss(std::uint64_t end) const;

  std::string path_;
  std::span<const std::byte> bytes_;
  FaultWatch watch_;
};

// Numbers in files: at any address, in a given byte order. Pure.

static_assert(std::endian::native == std::endian::little, "file formats are read as they stand");

template <typename T>
[[nodiscard]] T load_little(const std::byte* at) {
  T value{};
  std::memcpy(&value, at, sizeof value);
  return value;
}

[[nodiscard]] inline std::uint32_t load_big32(const std::byte* at) {
  std::uint32_t value = 0;
  for (int i = 0; i < 4; ++i) value = value << 8 | static_cast<std::uint32_t>(at[i]);
  return value;
}

// Returns nullopt on overflow: sizes in files are untrusted.
[[nodiscard]] inline std::optional<std::uint64_t> product(std::uint64_t a, std::uint64_t b) {
  std::uint64_t result = 0;
  if (__builtin_mul_overflow(a, b, &result)) return std::nullopt;
  return result;
}

}  // namespace stepbench::data
