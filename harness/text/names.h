// SPDX-License-Identifier: Apache-2.0
// Names of several parts as people type them: in full ("loader.num_workers") or by their end
// ("num_workers"). And the names that 0.2 removed, with their replacements. Used wherever a user
// names an option or a column. Pure; any thread.
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
// data.kind or model.kind; write one in full". `more`: what the caller takes besides, offered where
// nothing in `known` is close.
[[nodiscard]] std::string resolve_name(std::string_view given, std::span<const std::string> known,
                                       std::string_view unknown = "unknown option",
                                       std::span<const std::string> more = {});

// Returns the name of `known` that is closest to `given` as a full name or as an end; empty if none
// is close.
[[nodiscard]] std::string nearest_name(std::string_view given, std::span<const std::string> known);

// True if `given` is the head of a table column, "data wait [%]", with or without its unit.
// Case-insensitive.
[[nodiscard]] bool is_same_head(std::string_view head, std::string_view given);

// Names that 0.1 had and 0.2 removed: commands, flags, their values, options of experiments,
// columns. Errors about such a name say what to use instead.

// Returns "removed in 0.2: use ...", or an empty text for a name that never existed. A name is
// given as users write it: "explain", "track screen", "ab --bundle", "--format dlio",
// "schedule.arrivals" or without its section, "arrivals".
[[nodiscard]] std::string removed(std::string_view name);

}  // namespace stepbench::text
