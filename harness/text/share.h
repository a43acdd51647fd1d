// SPDX-License-Identifier: Apache-2.0
// Parses a share that a user typed. Pure; any thread.
#pragma once

#include <optional>
#include <string_view>

namespace stepbench::text {

// "2%" and "0.02" are the same share, in [0, 1); nullopt for anything else.
[[nodiscard]] std::optional<double> parse_share(std::string_view text);

}  // namespace stepbench::text
