// SPDX-License-Identifier: Apache-2.0
// Parts of a comparison that `compare` and `ab` have in common.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "harness/compare/comparison.h"

namespace stepbench {

// Everything but metrics and cause: ids, options, and notes on launches without a measurement,
// unequal step counts and results that differ. Both sides have a first launch.
[[nodiscard]] CaseResult begin_case_result(const CasePair& pair);

[[nodiscard]] MetricResult metric_result(const MetricSamples& asked);

[[nodiscard]] bool is_change(const TestResult& test);

// The noise gates of both sides, given by name, step times and launches; one that fails makes the
// verdict on the step invalid.
struct NoiseOfSide {
  std::string_view name;
  std::span<const double> step_ns;
  std::span<const Launch* const> launches = {};
};
void judge_noise(const NoiseOfSide& base, const NoiseOfSide& candidate,
                 std::span<const std::string> allow, CaseResult& one, std::vector<Gate>& gates);

// Verdict and exit code of the whole, from all metrics.
void conclude(const CompareOptions& options, bool missing_cases, Comparison& comparison);

}  // namespace stepbench
