// SPDX-License-Identifier: Apache-2.0
#include "harness/verdict/comparison.h"

#include <algorithm>
#include <iterator>

#include "harness/base/format.h"
#include "harness/base/value.h"
#include "harness/findings/finding.h"

namespace stepbench::verdict {
namespace {

void note_missing_launches(const CaseLaunches& one, const std::string& side, CaseResult& result) {
  if (one.not_measured == 0) return;
  result.notes.push_back(formatted("{} of {} launches in {} have no measurement: {}",
                                   one.not_measured, one.not_measured + one.measured.size(), side,
                                   one.reason));
  if (one.measured.empty() && result.without_data.empty()) {
    result.without_data = side + ": " + one.reason;
  }
}

std::size_t steps_of(const CaseLaunches& one) {
  if (one.measured.empty()) return 0;
  std::size_t steps = 0;
  for (const record::CycleSamples& samples : one.measured.front()->samples)
    steps += samples.steps.steps();
  return steps;
}

}  // namespace

void note_missing_launches(const CasePair& pair, const std::string& base,
                           const std::string& candidate, CaseResult& result) {
  note_missing_launches(pair.base, base, result);
  note_missing_launches(pair.candidate, candidate, result);
}

CaseResult begin_case_result(const CasePair& pair) {
  CaseResult result{.case_id = pair.base.first->key.case_id,
                    .candidate_case_id = pair.candidate.first->key.case_id,
                    .workload = pair.base.first->workload,
                    .options = pair.base.first->options,
                    .metrics = {},
                    .cause = {},
                    .notes = {},
                    .fingerprint = fingerprint_difference(pair)};
  const bool is_ab = !pair.base.first->key.arm.empty();
  note_missing_launches(pair, is_ab ? "arm A" : "the base", is_ab ? "arm B" : "the candidate",
                        result);
  const std::size_t before = steps_of(pair.base);
  const std::size_t after = steps_of(pair.candidate);
  if (before != after && before != 0 && after != 0) {
    result.notes.push_back(
        formatted("{} active steps in the base and {} in the candidate: percentiles of unequal "
                  "counts do not compare",
                  before, after));
  }
  if (const PeakNames peaks = peak_names(pair); peaks.differ()) {
    result.notes.push_back(
        formatted("memory is not compared: the base has {}, the candidate {}; measure both again",
                  peaks.base, peaks.candidate));
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
  const TestedMetric& metric = asked.metric;
  return {.name = metric.name,
          .metric = metric.metric,
          .unit = metric.unit,
          .primary = asked.primary,
          .margin = asked.samples.margin,
          .timed = metric.is_timed() && !metric.exact,
          .of_step = metric.kind == MetricKind::kStep || metric.unit.ends_with("/s")};
}

void add_noise_gates(const CasePair& pair, const estimate::StepTimes& times, std::string_view base,
                     std::string_view candidate, std::vector<Gate>& gates) {
  const auto add_noise_gate = [&](const std::vector<double>& steps, std::string_view arm,
                                  const CaseLaunches& side) {
    if (noise_gate(steps, arm).state == GateState::kPassed) return;
    gates.push_back(noise_gate(steps, arm, window_spread(side.measured)));
    gates.back().case_id = pair.base.first->key.case_id;
  };
  add_noise_gate(times.base, base, pair.base);
  add_noise_gate(times.candidate, candidate, pair.candidate);
}

// Returns the straggler finding of a profiled process group, or why there is none.
std::string straggler_text(const std::vector<const record::Launch*>& profiled) {
  bool known = false;
  for (const record::Launch* launch : profiled) {
    known = known || launch->row.report.metrics.contains("own_work_ns");
    for (const Finding& finding : launch->row.report.findings) {
      if (finding.id == kStragglerFinding) return finding.text;
    }
  }
  return known ? "no rank holds the others up" : "unknown which rank waits for which";
}

std::vector<std::string> waiting_ranks(
    const std::vector<const record::Launch*>& base_profiled,
    const std::vector<const record::Launch*>& candidate_profiled) {
  if (base_profiled.empty() || candidate_profiled.empty()) {
    return {
        "ranks wait for the last one inside collectives: time that is longer on some ranks only "
        "may be waiting; --profile shows which rank is late"};
  }
  return {"profiled before: " + straggler_text(base_profiled),
          "profiled after: " + straggler_text(candidate_profiled)};
}

void explain_change(const CasePair& pair, const VerdictRule& rule,
                    const std::vector<const record::Launch*>& base_profiled,
                    const std::vector<const record::Launch*>& candidate_profiled, CaseResult& one) {
  const auto changed = [](const MetricResult& metric) {
    return metric.timed && is_change(metric.test);
  };
  const auto step_changed = [&](const MetricResult& metric) {
    return metric.of_step && changed(metric);
  };
  if (std::any_of(one.metrics.begin(), one.metrics.end(), step_changed)) {
    one.cause = explaining_phases(pair, rule.confidence, rule.design);
    one.page_faults = explaining_faults(pair, rule.confidence, rule.design);
    if (ranks_differ(one.cause)) {
      one.waiting_ranks = waiting_ranks(base_profiled, candidate_profiled);
    }
  }
  if (std::any_of(one.metrics.begin(), one.metrics.end(), changed)) {
    one.ops = op_changes(base_profiled, candidate_profiled, rule.design == Design::kInterleaved);
  }
}

void add_hosts(const record::Results& results, std::set<std::string>& hosts) {
  for (const record::RunRow& run : results.runs) hosts.insert(text_of(run.context, "host"));
}

void conclude(const CompareOptions& options, bool missing_cases, Comparison& comparison) {
  std::vector<TestResult> all;
  for (const CaseResult& one : comparison.cases) {
    for (const MetricResult& metric : one.metrics) {
      if (metric.decides) all.push_back(metric.test);
    }
  }
  const auto& allow = options.allow;
  const bool allowed = std::find(allow.begin(), allow.end(), "missing") != allow.end();
  const bool gate_failed = std::ranges::any_of(
      comparison.gates, [](const Gate& gate) { return gate.state == GateState::kFailed; });
  const GateInput gate{
      .tests = all,
      // Disturbances of times do not affect counts.
      .campaign_invalid = !options.gate_counts &&
                          (comparison.aa_control.state == AaControl::State::kFailed || gate_failed),
      .missing_cases = missing_cases && !allowed,
      .allow_inconclusive = options.allow_inconclusive};
  comparison.verdict = overall(gate);
  comparison.exit_code = exit_code(gate);
}

Verdict overall(const GateInput& input) {
  const auto any = [&](Verdict verdict) {
    return std::any_of(input.tests.begin(), input.tests.end(),
                       [&](const TestResult& j) { return j.verdict == verdict; });
  };
  const bool slower_suspect =
      std::any_of(input.tests.begin(), input.tests.end(),
                  [](const TestResult& j) { return j.verdict == Verdict::kSuspect && j.slower; });
  if (input.campaign_invalid) return Verdict::kInvalid;
  if (input.tests.empty()) return Verdict::kNoData;
  if (any(Verdict::kRegression)) return Verdict::kRegression;
  if (any(Verdict::kInvalid)) return Verdict::kInvalid;
  if (any(Verdict::kNoData) || input.missing_cases) return Verdict::kNoData;
  if (slower_suspect) return Verdict::kSuspect;
  if (any(Verdict::kInconclusive)) return Verdict::kInconclusive;
  if (any(Verdict::kSuspect)) return Verdict::kSuspect;
  if (any(Verdict::kImprovement)) return Verdict::kImprovement;
  return Verdict::kOk;
}

int severity(Verdict verdict) {
  switch (verdict) {
    case Verdict::kOk:
      return 0;
    case Verdict::kImprovement:
      return 1;
    case Verdict::kInconclusive:
      return 2;
    case Verdict::kSuspect:
      return 3;
    case Verdict::kNoData:
      return 4;
    case Verdict::kInvalid:
      return 5;
    case Verdict::kRegression:
      return 6;
  }
  return 0;
}

int exit_code(const GateInput& input) {
  switch (overall(input)) {
    case Verdict::kRegression:
      return kExitRegression;
    case Verdict::kInvalid:
    case Verdict::kNoData:
      return kExitNothingMeasured;
    case Verdict::kInconclusive:
      return input.allow_inconclusive ? kExitOk : kExitInconclusive;
    case Verdict::kSuspect: {
      const bool slower = std::any_of(
          input.tests.begin(), input.tests.end(),
          [](const TestResult& j) { return j.verdict == Verdict::kSuspect && j.slower; });
      return slower && !input.allow_inconclusive ? kExitInconclusive : kExitOk;
    }
    case Verdict::kImprovement:
    case Verdict::kOk:
      return kExitOk;
  }
  return kExitNothingMeasured;
}

}  // namespace stepbench::verdict
