// SPDX-License-Identifier: Apache-2.0
#include "harness/compare/case_result.h"

#include <algorithm>
#include <iterator>

#include "harness/compare/exit_code.h"

namespace stepbench {
namespace {

void note_missing_launches(const CaseLaunches& one, const std::string& side, CaseResult& result) {
  if (one.not_measured == 0) return;
  result.notes.push_back(std::to_string(one.not_measured) + " of " +
                         std::to_string(one.not_measured + one.measured.size()) + " launches in " +
                         side + " have no measurement: " + one.reason);
}

std::size_t steps_of(const CaseLaunches& one) {
  if (one.measured.empty()) return 0;
  std::size_t steps = 0;
  for (const CycleSamples& samples : one.measured.front()->samples) steps += samples.steps.steps();
  return steps;
}

}  // namespace

CaseResult begin_case_result(const CasePair& pair) {
  CaseResult result{.case_id = pair.base.first->key.case_id,
                    .candidate_case_id = pair.candidate.first->key.case_id,
                    .workload = pair.base.first->workload,
                    .options = pair.base.first->options,
                    .metrics = {},
                    .cause = {},
                    .notes = {},
                    .fingerprint = fingerprint_difference(pair)};
  note_missing_launches(pair.base, "the base", result);
  note_missing_launches(pair.candidate, "the candidate", result);
  const std::size_t before = steps_of(pair.base);
  const std::size_t after = steps_of(pair.candidate);
  if (before != after && before != 0 && after != 0) {
    result.notes.push_back(std::to_string(before) + " active steps in the base and " +
                           std::to_string(after) +
                           " in the candidate: percentiles of unequal counts do not compare");
  }
  if (result.fingerprint) result.notes.push_back(to_text(*result.fingerprint));
  for (std::string& note : fingerprint_notes(pair)) result.notes.push_back(std::move(note));
  return result;
}

bool is_change(const TestResult& test) {
  return test.verdict == Verdict::kRegression || test.verdict == Verdict::kImprovement ||
         test.verdict == Verdict::kSuspect;
}

MetricResult metric_result(const MetricSamples& asked) {
  return {.name = asked.name,
          .metric = asked.metric,
          .unit = asked.unit,
          .primary = asked.primary,
          .margin = asked.samples.margin,
          .test = {}};
}

void judge_noise(const NoiseOfSide& base, const NoiseOfSide& candidate,
                 std::span<const std::string> allow, CaseResult& one, std::vector<Gate>& gates) {
  std::vector<Gate> own;
  for (const NoiseOfSide& side : {base, candidate}) {
    Gate gate = noise_gate(side.step_ns, side.name, window_spread(side.launches));
    if (gate.state == GateState::kPassed) continue;
    gate.case_id = one.case_id;
    own.push_back(std::move(gate));
  }
  apply_allowed(allow, own);
  TestResult& step = one.metrics.front().test;
  if (fails(own) && step.verdict != Verdict::kNoData) {
    step.verdict = Verdict::kInvalid;
    step.reason = TestReason::kNoise;
  }
  std::move(own.begin(), own.end(), std::back_inserter(gates));
}

void conclude(const CompareOptions& options, bool missing_cases, Comparison& comparison) {
  std::vector<TestResult> all;
  for (const CaseResult& one : comparison.cases) {
    for (const MetricResult& metric : one.metrics) all.push_back(metric.test);
  }
  const auto& allow = options.allow;
  const bool allowed = std::find(allow.begin(), allow.end(), "missing") != allow.end();
  const bool gate_failed = std::any_of(
      comparison.gates.begin(), comparison.gates.end(),
      [](const Gate& gate) { return gate.case_id.empty() && gate.state == GateState::kFailed; });
  const GateInput gate{
      .tests = all,
      .campaign_invalid = comparison.aa_control.state == AaControl::State::kFailed || gate_failed,
      .missing_cases = missing_cases && !allowed,
      .allow_inconclusive = options.allow_inconclusive};
  comparison.verdict = overall(gate);
  comparison.exit_code = exit_code(gate);
}

}  // namespace stepbench
