// SPDX-License-Identifier: Apache-2.0
// What 0.1 had and 0.2 has no more: commands, flags, their values, options of experiments, columns.
// Who writes such a name is told what to use instead.
#pragma once

#include <string>
#include <string_view>

namespace stepbench::text {

// "removed in 0.2: use ..."; empty for a name that never was. A name is written as users write it:
// "explain", "track screen", "ab --bundle", "--format dlio", "schedule.arrivals" or without
// the section, "arrivals".
[[nodiscard]] std::string removed(std::string_view name);

}  // namespace stepbench::text
