// SPDX-License-Identifier: Apache-2.0
// A verdict file back as the comparisons that it was written from. Pure; any thread.
#pragma once

#include <string_view>
#include <vector>

#include "harness/compare/comparison.h"

namespace stepbench::report {

// Of schema stepbench.verdict one, of stepbench.verdicts each. Accepts every 1.x. Throws LineError
// for anything else, and for a file that holds an error in place of a verdict.
[[nodiscard]] std::vector<compare::Comparison> read_comparisons(std::string_view json);

}  // namespace stepbench::report
