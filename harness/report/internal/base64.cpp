// SPDX-License-Identifier: Apache-2.0
#include "harness/report/internal/base64.h"

#include <cstddef>

namespace stepbench::report {
namespace {

template <typename Bytes>
std::string encoded(const Bytes& bytes) {
  constexpr std::string_view kDigits =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string text;
  text.reserve((bytes.size() + 2) / 3 * 4);
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    const std::size_t left = bytes.size() - i;
    const auto at = [&](std::size_t k) -> std::uint32_t {
      return k < left ? static_cast<std::uint8_t>(bytes[i + k]) : 0U;
    };
    const std::uint32_t group = (at(0) << 16U) | (at(1) << 8U) | at(2);
    text += kDigits[group >> 18U];
    text += kDigits[(group >> 12U) & 63U];
    text += left > 1 ? kDigits[(group >> 6U) & 63U] : '=';
    text += left > 2 ? kDigits[group & 63U] : '=';
  }
  return text;
}

}  // namespace

std::string base64(std::span<const std::uint8_t> bytes) { return encoded(bytes); }
std::string base64(std::string_view bytes) { return encoded(bytes); }

}  // namespace stepbench::report
