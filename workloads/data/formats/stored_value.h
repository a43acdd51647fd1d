// SPDX-License-Identifier: Apache-2.0
// Reads numbers in files: at any address, in a given byte order. Pure.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>

namespace stepbench::data {

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
