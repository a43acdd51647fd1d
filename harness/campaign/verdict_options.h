// SPDX-License-Identifier: Apache-2.0
// What `compare` and `ab` are told about a verdict: margins and what may differ. Pure; throw
// ConfigError.
#pragma once

#include <string>
#include <vector>

#include "harness/compare/comparison.h"
#include "harness/plan/plan.h"

namespace stepbench {

// "step=2%", "0.02" (of the step), "peak_bytes=0" over what `margins` holds.
[[nodiscard]] Margins parse_margins(const std::vector<std::string>& given, Margins margins);

// What the plan's file says in its section `compare`.
[[nodiscard]] Margins margins_of(const Plan& plan);

// Throws for a name in `allow` that is none of `known`, with the nearest one.
void check_allowed(const std::vector<std::string>& allow, const std::vector<std::string>& known);

}  // namespace stepbench
