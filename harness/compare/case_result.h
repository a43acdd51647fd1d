// SPDX-License-Identifier: Apache-2.0
// The result of one case and the overall verdict of a comparison, as `compare` and `ab` share them,
// and the exit code of their commands. Pure.
#pragma once

#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "harness/base/exit_status.h"
#include "harness/compare/comparison.h"
#include "harness/compare/judge.h"
#include "harness/estimate/launch_values.h"

namespace stepbench::compare {

// Adds notes on launches without a measurement and sets `without_data` for a side without any
// measured launch. `base`, `candidate`: names of the sides.
void note_missing_launches(const CasePair& pair, const std::string& base,
                           const std::string& candidate, CaseResult& result);

// Fills everything except metrics and cause: ids, options, notes on launches without a measurement,
// unequal step counts and differing results. Both sides need a first launch.
[[nodiscard]] CaseResult begin_case_result(const CasePair& pair);

[[nodiscard]] MetricResult metric_result(const MetricSamples& asked);

[[nodiscard]] bool is_change(const TestResult& test);

// Adds noise gates for both sides, named `base` and `candidate`, from the step times of their
// launches.
void add_noise_gates(const CasePair& pair, const estimate::StepTimes& times, std::string_view base,
                     std::string_view candidate, std::vector<Gate>& gates);

// If the step or a rate changed, adds the phases and operations that explain it. `interleaved`:
// profiled launches with equal indexes are adjacent in time.
void explain_change(const CasePair& pair, const VerdictRule& rule,
                    const std::vector<const record::Launch*>& base_profiled,
                    const std::vector<const record::Launch*>& candidate_profiled, CaseResult& one);

void add_hosts(const record::Results& results, std::set<std::string>& hosts);

// Sets the overall verdict and exit code from all metrics.
void conclude(const CompareOptions& options, bool missing_cases, Comparison& comparison);

struct GateInput {
  std::span<const TestResult> tests;  // primary and exact metrics
  bool campaign_invalid = false;
  bool missing_cases = false;  // a case has results on one side only
  bool allow_inconclusive = false;
};

// Exit code of the most severe verdict. No data is never success.
[[nodiscard]] int exit_code(const GateInput& input);
// Verdict of the test that determines the exit code.
[[nodiscard]] Verdict overall(const GateInput& input);

// Larger is worse; defines the order used by overall().
[[nodiscard]] int severity(Verdict verdict);

}  // namespace stepbench::compare
