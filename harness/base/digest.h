// SPDX-License-Identifier: Apache-2.0
// The digest that ids on disk are made of. Pure; any thread.
#pragma once

#include <string>
#include <string_view>

namespace stepbench {

// The first 16 hex digits of XXH3-128. Ids on disk are made of it: never change the function.
[[nodiscard]] std::string digest(std::string_view bytes);

}  // namespace stepbench
