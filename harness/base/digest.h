// SPDX-License-Identifier: Apache-2.0
// The digest behind ids on disk. Pure; any thread.
#pragma once

#include <string>
#include <string_view>

namespace stepbench {

// Returns the first 16 hex digits of XXH3-128. Ids on disk depend on it: never change the function.
[[nodiscard]] std::string digest(std::string_view bytes);

}  // namespace stepbench
