// SPDX-License-Identifier: Apache-2.0
// A share as people write it. Pure; any thread.
#pragma once

#include <optional>
#include <string_view>

namespace stepbench::text {

// "2%" and "0.02" are the same share, from 0 to 1 (not 1); nullopt for anything else.
[[nodiscard]] std::optional<double> parse_share(std::string_view text);

}  // namespace stepbench::text
