// SPDX-License-Identifier: Apache-2.0
#include "harness/base/digest.h"

#include <xxhash.h>

#include <cstddef>
#include <cstdint>

namespace stepbench {

std::string digest(std::string_view bytes) {
  constexpr std::string_view kHex = "0123456789abcdef";
  const std::uint64_t high = XXH3_128bits(bytes.data(), bytes.size()).high64;
  std::string text(16, '0');
  for (std::size_t i = 0; i < text.size(); ++i) text[i] = kHex[(high >> (60 - 4 * i)) & 0xF];
  return text;
}

}  // namespace stepbench
