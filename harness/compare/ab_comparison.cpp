// SPDX-License-Identifier: Apache-2.0
#include "harness/compare/ab_comparison.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <set>

#include "harness/compare/case_result.h"
#include "harness/compare/comparability.h"
#include "harness/compare/count_gate.h"
#include "harness/compare/gates.h"
#include "harness/estimate/launch_values.h"

namespace stepbench::compare {
namespace {

// Returns the workers of one arm as a result of their own.
record::Results workers_of(const record::Results& results, std::string_view arm) {
  record::Results side;
  std::set<std::string_view> ids;
  for (const record::Launch& launch : results.launches) {
    if (launch.row.key.arm == arm) ids.insert(launch.row.worker_id);
  }
  for (const record::WorkerRow& worker : results.workers) {
    if (ids.contains(worker.worker_id)) side.workers.push_back(worker);
  }
  return side;
}

std::vector<double> measured_steps(std::span<const record::Launch* const> launches) {
  std::vector<double> steps = estimate::step_times(launches, {}).base;
  std::erase_if(steps, [](double step) { return std::isnan(step); });
  return steps;
}

// Result of a case that was not measured in both arms.
CaseResult unmeasured(const AbPoint& point, const AbPairs& pairs, const TestedMetrics& tested) {
  CaseResult result;
  result.case_id = point.a_case;
  result.candidate_case_id = point.b_case;
  for (const CaseLaunches* side : {&pairs.pair.base, &pairs.pair.candidate}) {
    if (side->first == nullptr) continue;
    result.workload = side->first->workload;
    result.options = side->first->options;
  }
  note_missing_launches(pairs.pair, "arm A", "arm B", result);
  for (const TestedMetric& metric : tested.metrics) {
    if (metric.kind == MetricKind::kPeak && tested.by_default) continue;
    result.metrics.push_back(metric_result({.metric = metric, .primary = true}));
    result.metrics.back().test.reason = TestReason::kNoPairs;
  }
  return result;
}

CaseResult result_of(const AbPoint& point, const AbPairs& pairs, const AbCase& ended,
                     const record::Results& results, const ProfiledLaunches& profiled,
                     const VerdictRule& rule, const CompareOptions& options,
                     std::vector<Gate>& gates, std::vector<std::vector<double>>& levels) {
  if (pairs.pair.base.first == nullptr || pairs.pair.candidate.first == nullptr) {
    return unmeasured(point, pairs, options.tested);
  }
  CaseResult result = begin_case_result(pairs.pair);
  result.ended_at = ended.ended_at;
  std::size_t next_primary = 0;
  const MetricValues values(pairs.pair);
  std::vector<MetricSamples> all_samples =
      metric_samples(pairs, values, results.columns, options.tested);
  for (std::string& note : take_varying_counts(all_samples))
    result.notes.push_back(std::move(note));
  for (const MetricSamples& asked : all_samples) {
    if (!asked.note.empty()) result.notes.push_back(asked.note);
    MetricResult metric = metric_result(asked);
    if (!asked.primary) {
      metric.test = judge({&asked.samples, 1}, rule).tests.front();
    } else if (next_primary < ended.tests.size()) {
      metric.test = ended.tests[next_primary++];
    }
    result.metrics.push_back(std::move(metric));
  }
  const CasePair& pair = pairs.pair;
  add_noise_gates(pair, values.steps(), "arm A", "arm B", gates);
  levels.push_back(block_levels(pair, values.steps()));
  const CountedLaunches base{pairs.pair.base.measured, profiled.of(point.a_case, kArmA),
                             profiled.counted(point.a_case, kArmA)};
  const CountedLaunches candidate{pairs.pair.candidate.measured, profiled.of(point.b_case, kArmB),
                                  profiled.counted(point.b_case, kArmB)};
  for (std::string& note : exact_count_notes(base, candidate, results.columns)) {
    result.notes.push_back(std::move(note));
  }
  explain_change(pair, rule, base.profiled, candidate.profiled, result);
  if (options.gate_counts) {
    judge_counts({"arm A", "arm B", results.columns, options}, base, candidate, result);
  }
  return result;
}

void count_tests(Comparison& comparison) {
  for (const CaseResult& one : comparison.cases) {
    for (const MetricResult& metric : one.metrics) {
      if (!metric.primary || std::isnan(metric.test.p)) continue;
      ++comparison.tested;
      if (!is_rejected(metric.test, comparison.rule.q)) continue;
      ++(metric.test.slower ? comparison.rejected_slower : comparison.rejected_faster);
    }
  }
}

void add_campaign_gates(const std::vector<CasePair>& cases,
                        std::span<const std::vector<double>> levels, Design design,
                        const CompareOptions& options, std::vector<Gate>& gates) {
  gates.push_back(drift_gate(levels));  // reported even if it passed, with the amount of drift
  std::vector<Gate> own = machine_gates(cases, design);
  apply_allowed(options.allow, own);
  std::ranges::move(own, std::back_inserter(gates));
}

// Returns true if a point is missing in only one of the arms.
bool add_missing(const std::vector<AbMissing>& missing, Comparison& comparison) {
  bool one_sided = false;
  for (const AbMissing& one : missing) {
    comparison.warnings.push_back("not compared: " + one.name + ": " + one.reason);
    if (one.in_a == one.in_b) continue;
    one_sided = true;
    (one.in_a ? comparison.only_base : comparison.only_candidate).push_back(one.point);
  }
  return one_sided;
}

}  // namespace

Comparison ab_comparison(const record::Results& results, const AbOutcome& outcome,
                         const CompareOptions& options) {
  const AbDesign& design = outcome.campaign.design();
  Comparison comparison{.base = outcome.a, .candidate = outcome.b};
  if (!results.runs.empty()) comparison.swept = results.runs.front().swept;
  add_hosts(results, comparison.hosts);
  comparison.rule = design.rule;
  comparison.looks = design.looks;
  comparison.seed = design.seed;
  comparison.warnings = outcome.warnings;
  const std::vector<AbPairs> pairs = ab_pairs(results, outcome.points);
  comparison.rule.design = design_of(pairs);

  const ProfiledLaunches profiled(results);
  CasePairs joined;
  std::vector<std::vector<double>> base_runs;
  std::vector<std::vector<double>> levels;
  for (std::size_t i = 0; i < outcome.points.size(); ++i) {
    comparison.cases.push_back(result_of(outcome.points[i], pairs[i], outcome.campaign.cases()[i],
                                         results, profiled, comparison.rule, options,
                                         comparison.gates, levels));
    base_runs.push_back(measured_steps(pairs[i].base_launches));
    if (!pairs[i].pair.base.measured.empty()) joined.both.push_back(pairs[i].pair);
  }
  const record::Results a = workers_of(results, kArmA);
  const record::Results b = workers_of(results, kArmB);
  comparison.environment = environment_differences({&a, outcome.where}, {&b, outcome.where}, joined,
                                                   options.allow, outcome.overridden);
  if (options.gate_counts) {
    refuse_unlike_counting({"arm A", "arm B", results.columns, options}, comparison.environment);
  }
  comparison.aa_control = aa_control(base_runs);
  add_campaign_gates(joined.both, levels, comparison.rule.design, options, comparison.gates);
  count_tests(comparison);
  std::string few = too_few_to_prove(design.looks.empty() ? 0 : design.looks.back(),
                                     comparison.tested, design.rule);
  if (!few.empty() && !options.gate_counts) comparison.warnings.push_back(std::move(few));
  const bool one_sided = add_missing(outcome.missing, comparison);
  conclude(options, one_sided, comparison);
  if (comparison.rule.design == Design::kSequential && !options.gate_counts) {
    comparison.warnings.emplace_back(
        "the two launches of a pair were not adjacent in time, or one arm nearly always went "
        "first: the arms did not alternate, so nothing is confirmed");
    comparison.verdict = Verdict::kInvalid;
    comparison.exit_code = kExitNothingMeasured;
  }
  return comparison;
}

}  // namespace stepbench::compare
