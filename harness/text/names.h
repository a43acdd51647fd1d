// SPDX-License-Identifier: Apache-2.0
// Names of several parts as people type them: in full ("loader.num_workers") or by their end
// ("num_workers"). Every place where a user names an option or a column asks here. Pure; any
// thread.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace stepbench::text {

// The names of `known` that `given` may mean: itself if it is one of them, else all that end in it
// behind a dot; in the order of `known`, each once.
[[nodiscard]] std::vector<std::string> matching_names(std::string_view given,
                                                      std::span<const std::string> known);

// The one that is meant. Throws Error when there is none or several: "unknown option 'x' (did you
// mean 'loader.x1'?)", where `unknown` gives the words before the name; "'kind' may be data.kind or
// model.kind; write one in full".
[[nodiscard]] std::string resolve_name(std::string_view given, std::span<const std::string> known,
                                       std::string_view unknown = "unknown option");

// The name of `known` that is nearest to `given`, whether that is a full name or its end; empty if
// none is near.
[[nodiscard]] std::string nearest_name(std::string_view given, std::span<const std::string> known);

// Whether `given` is the head of a column as a table shows it, "data wait [%]", or that without its
// unit. Upper and lower case are alike.
[[nodiscard]] bool is_same_head(std::string_view head, std::string_view given);

}  // namespace stepbench::text
