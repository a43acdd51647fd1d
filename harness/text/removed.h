// SPDX-License-Identifier: Apache-2.0
// Names that 0.1 had and 0.2 removed: commands, flags, their values, options of experiments,
// columns. Errors about such a name say what to use instead.
#pragma once

#include <string>
#include <string_view>

namespace stepbench::text {

// Returns "removed in 0.2: use ...", or an empty text for a name that never existed. A name is
// given as users write it: "explain", "track screen", "ab --bundle", "--format dlio",
// "schedule.arrivals" or without its section, "arrivals".
[[nodiscard]] std::string removed(std::string_view name);

}  // namespace stepbench::text
