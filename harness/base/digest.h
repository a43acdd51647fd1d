// SPDX-License-Identifier: Apache-2.0
// Digests: the one for ids on disk, SHA-256 (FIPS 180-4) for digests that browsers or lock files
// check, and bytes in hex. Pure; any thread.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

namespace stepbench {

// Returns the first 16 hex digits of XXH3-128. Ids on disk depend on it: never change the function.
[[nodiscard]] std::string digest(std::string_view bytes);

// Two lower-case digits per byte.
[[nodiscard]] std::string hex_text(std::string_view bytes);

using Sha256 = std::array<std::uint8_t, 32>;

[[nodiscard]] Sha256 sha256(std::string_view bytes);

}  // namespace stepbench
