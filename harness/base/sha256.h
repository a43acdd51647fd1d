// SPDX-License-Identifier: Apache-2.0
// SHA-256 (FIPS 180-4), for digests that browsers or lock files check. Ids on disk use digest.h.
// Pure; any thread.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

namespace stepbench {

using Sha256 = std::array<std::uint8_t, 32>;

[[nodiscard]] Sha256 sha256(std::string_view bytes);

}  // namespace stepbench
