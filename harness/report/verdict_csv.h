// SPDX-License-Identifier: Apache-2.0
// Verdicts for spreadsheets: one line for each metric of each compared case, in base units. Pure;
// any thread.
#pragma once

#include <span>
#include <string>

#include "harness/compare/comparison.h"

namespace stepbench::report {

[[nodiscard]] std::string verdict_csv(std::span<const compare::Comparison> comparisons);

}  // namespace stepbench::report
