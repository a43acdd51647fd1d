// SPDX-License-Identifier: Apache-2.0
// Parts of a comparison that `compare` and `ab` have in common.
#pragma once

#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "harness/compare/comparison.h"
#include "harness/estimate/step_times.h"

namespace stepbench::compare {

// Notes on launches without a measurement, and which side has no other. The sides' names.
void note_missing_launches(const CasePair& pair, const std::string& base,
                           const std::string& candidate, CaseResult& result);

// Everything but metrics and cause: ids, options, and notes on launches without a measurement,
// unequal step counts and results that differ. Both sides have a first launch.
[[nodiscard]] CaseResult begin_case_result(const CasePair& pair);

[[nodiscard]] MetricResult metric_result(const MetricSamples& asked);

[[nodiscard]] bool is_change(const TestResult& test);

// Noise of both sides, named `base` and `candidate`, by the steps of their launches.
void tell_noise(const CasePair& pair, const estimate::StepTimes& times, std::string_view base,
                std::string_view candidate, std::vector<Gate>& gates);

// Where the step or a rate changed: the phases and operations that explain it. `interleaved`: equal
// indexes of the profiled launches are neighbours in time.
void explain_change(const CasePair& pair, const VerdictRule& rule,
                    const std::vector<const record::Launch*>& base_profiled,
                    const std::vector<const record::Launch*>& candidate_profiled, CaseResult& one);

void add_hosts(const record::Results& results, std::set<std::string>& hosts);

// Verdict and exit code of the whole, from all metrics.
void conclude(const CompareOptions& options, bool missing_cases, Comparison& comparison);

}  // namespace stepbench::compare
