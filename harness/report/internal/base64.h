// SPDX-License-Identifier: Apache-2.0
// Base64 encoding (RFC 4648, with padding). Pure; any thread.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace stepbench::report {

[[nodiscard]] std::string base64(std::span<const std::uint8_t> bytes);
[[nodiscard]] std::string base64(std::string_view bytes);

}  // namespace stepbench::report
