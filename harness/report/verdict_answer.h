// SPDX-License-Identifier: Apache-2.0
// The verdict of a comparison in one line: verdict, largest changes, doubts. Pure; any thread.
#pragma once

#include <span>
#include <vector>

#include "harness/compare/comparison.h"
#include "harness/document/document.h"

namespace stepbench::report {

// "verdict: regression (exit code 1); num_workers=2 step +6.10 % [+5.80, +6.41] and 2 more". For
// several comparisons that of the worst. `remarks`: source of the doubts.
[[nodiscard]] document::Answer verdict_answer(std::span<const compare::Comparison> comparisons,
                                              const std::vector<document::Paragraph>& remarks);

}  // namespace stepbench::report
