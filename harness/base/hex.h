// SPDX-License-Identifier: Apache-2.0
// Bytes in hex. Pure; any thread.
#pragma once

#include <string>
#include <string_view>

namespace stepbench {

// Two lower-case digits per byte.
[[nodiscard]] std::string hex_text(std::string_view bytes);

}  // namespace stepbench
