// SPDX-License-Identifier: Apache-2.0
// Matches dotted names that a user typed in full ("loader.num_workers") or by their end
// ("num_workers"). Used wherever a user names an option or a column. Pure; any thread.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace stepbench::text {

// Returns `given` itself if it is in `known`, else all known names that end in `.given`; in the
// order of `known`, without duplicates.
[[nodiscard]] std::vector<std::string> matching_names(std::string_view given,
                                                      std::span<const std::string> known);

// Returns the only matching name. Throws Error if none matches, "unknown option 'x' (did you mean
// 'loader.x1'?)", where `unknown` is the text before the name, or if several do, "'kind' may be
// data.kind or model.kind; write one in full".
[[nodiscard]] std::string resolve_name(std::string_view given, std::span<const std::string> known,
                                       std::string_view unknown = "unknown option");

// Returns the name of `known` that is closest to `given` as a full name or as an end; empty if none
// is close.
[[nodiscard]] std::string nearest_name(std::string_view given, std::span<const std::string> known);

// True if `given` is the head of a table column, "data wait [%]", with or without its unit.
// Case-insensitive.
[[nodiscard]] bool is_same_head(std::string_view head, std::string_view given);

}  // namespace stepbench::text
