// SPDX-License-Identifier: Apache-2.0
// Spaces that nobody has to write down as a sweep. Pure; any thread; throw ConfigError.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "harness/base/resolved_case.h"

namespace stepbench::tune {

// "loader", "transfer", "batch", "precision".
[[nodiscard]] const std::vector<std::string>& space_names();

// Each as --sweep has it: of options that mean something in `own`, around its values. `cores`: that
// the workers may use.
[[nodiscard]] std::vector<std::string> sweeps_of(std::span<const std::string> spaces,
                                                 const ResolvedCase& own, int cores);

// Arguments of the script of `own`, "num_workers=0..8,prefetch_factor=2,4", as one --sweep: every
// combination behind the arguments that it has, as `--num_workers 4 --prefetch_factor 2`.
[[nodiscard]] std::string sweep_of_arguments(const std::string& text, const ResolvedCase& own);

}  // namespace stepbench::tune
