// SPDX-License-Identifier: Apache-2.0
// Parts of a comparison that `compare` and `ab` have in common.
#pragma once

#include "harness/compare/comparison.h"

namespace stepbench {

// Everything but metrics and cause: ids, options, and notes on launches without a measurement,
// unequal step counts and results that differ. Both sides have a first launch.
[[nodiscard]] CaseResult begin_case_result(const CasePair& pair);

[[nodiscard]] MetricResult metric_result(const MetricQuestion& asked);

[[nodiscard]] bool is_change(const Judgement& judgement);

// Verdict and exit code of the whole, from all metrics.
void conclude(const CompareOptions& options, bool missing_cases, Comparison& comparison);

}  // namespace stepbench
