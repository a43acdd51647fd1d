// SPDX-License-Identifier: Apache-2.0
// Predefined search spaces, as an alternative to a sweep. Pure; any thread; throw ConfigError.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "harness/base/resolved_case.h"

namespace stepbench::tune {

// "loader", "transfer", "batch", "precision".
[[nodiscard]] const std::vector<std::string>& space_names();

// Each as a --sweep argument: options of `own`, around its values. `cores`: for the workers.
[[nodiscard]] std::vector<std::string> sweeps_of(std::span<const std::string> spaces,
                                                 const ResolvedCase& own, int cores);

// Converts arguments of the script of `own`, "num_workers=0..8,prefetch_factor=2,4", into one
// --sweep: every combination, appended to its existing arguments as `--num_workers 4
// --prefetch_factor 2`.
[[nodiscard]] std::string sweep_of_arguments(const std::string& text, const ResolvedCase& own);

}  // namespace stepbench::tune
