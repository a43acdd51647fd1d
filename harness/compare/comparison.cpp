// SPDX-License-Identifier: Apache-2.0
#include "harness/compare/comparison.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <utility>

#include "harness/compare/case_result.h"
#include "harness/compare/gates.h"
#include "harness/compare/same_work.h"

namespace stepbench {
namespace {

std::vector<MissingCase> missing(const std::vector<CaseLaunches>& cases) {
  std::vector<MissingCase> result;
  result.reserve(cases.size());
  for (const CaseLaunches& one : cases) {
    result.push_back({one.first->key.case_id, one.first->workload, one.first->options});
  }
  return result;
}

// In the order in which the machine ran them, which is not that of their numbers when a run was
// resumed.
std::vector<double> in_run_order(const CaseLaunches& one, const std::vector<double>& values) {
  std::vector<std::pair<std::string, double>> timed(values.size());
  for (std::size_t i = 0; i < values.size(); ++i) {
    timed[i] = {one.measured[i]->row.started_utc, values[i]};
  }
  std::stable_sort(timed.begin(), timed.end(),
                   [](const auto& a, const auto& b) { return a.first < b.first; });
  std::vector<double> ordered(values.size());
  std::transform(timed.begin(), timed.end(), ordered.begin(),
                 [](const auto& item) { return item.second; });
  return ordered;
}

}  // namespace

Comparison compare(const ComparisonSide& base, const ComparisonSide& candidate,
                   const CompareOptions& options) {
  Comparison result{.base = base.where, .candidate = candidate.where};
  result.rule = {.design = Design::kSequential, .bootstrap = options.bootstrap};
  if (base.results->runs.size() == 1) result.swept = base.results->runs.front().swept;
  const std::vector<Metric> columns = common_columns(base, candidate);
  const CaseKey by_id = [](const LaunchRow& row) { return row.key.case_id; };
  const CasePairs pairs = pair_cases(base, candidate, options.key ? options.key : by_id);
  result.environment =
      environment_differences(base, candidate, pairs, options.allow, options.ignore);
  refuse_mismatch(candidate, result.environment);
  result.only_base = missing(pairs.only_base);
  result.only_candidate = missing(pairs.only_candidate);

  // Primary metrics are one family; exact counts need no correction and are judged beside it.
  std::vector<PairedSamples> family;
  std::vector<PairedSamples> counts;
  std::vector<std::vector<double>> base_runs;
  std::vector<std::array<std::vector<double>, 2>> step_times;
  for (const CasePair& pair : pairs.both) {
    CaseResult one = begin_case_result(pair);
    std::vector<MetricSamples> all_samples = metric_samples(pair, columns, options.margins);
    for (std::string& note : take_varying_counts(all_samples)) one.notes.push_back(std::move(note));
    for (MetricSamples& asked : all_samples) {
      if (!asked.note.empty()) one.notes.push_back(asked.note);
      one.metrics.push_back(metric_result(asked));
      if (one.metrics.size() == 1) {
        base_runs.push_back(in_run_order(pair.base, asked.samples.base));
        step_times.push_back({asked.samples.base, asked.samples.candidate});
      }
      (asked.primary ? family : counts).push_back(std::move(asked.samples));
    }
    result.cases.push_back(std::move(one));
  }
  TestFamily primary = judge(family, result.rule);
  TestFamily exact = judge(counts, result.rule);
  result.tested = primary.tested;
  result.rejected_slower = primary.rejected_slower;
  result.rejected_faster = primary.rejected_faster;
  result.aa_control = aa_control(base_runs);

  const ProfiledLaunches base_profiled(*base.results);
  const ProfiledLaunches candidate_profiled(*candidate.results);
  std::size_t next_primary = 0;
  std::size_t next_exact = 0;
  for (std::size_t i = 0; i < result.cases.size(); ++i) {
    CaseResult& one = result.cases[i];
    for (MetricResult& metric : one.metrics) {
      metric.test =
          std::move(metric.primary ? primary.tests[next_primary++] : exact.tests[next_exact++]);
    }
    judge_noise({"the base", step_times[i][0], pairs.both[i].base.measured},
                {"the candidate", step_times[i][1], pairs.both[i].candidate.measured},
                options.allow, one, result.gates);
    const CountedLaunches before{pairs.both[i].base.measured, base_profiled.of(one.case_id, "")};
    const CountedLaunches after{pairs.both[i].candidate.measured,
                                candidate_profiled.of(one.candidate_case_id, "")};
    for (std::string& note : exact_count_notes(before, after, columns)) {
      one.notes.push_back(std::move(note));
    }
    if (is_change(one.metrics.front().test)) {
      one.cause = explaining(phase_changes(pairs.both[i], result.rule.confidence));
      one.ops = op_changes(before.profiled, after.profiled, false);
    }
  }
  if (primary.cannot_reject_alone) {
    result.warnings.push_back("cannot_reject_alone: with so few launches and " +
                              std::to_string(primary.tested) +
                              " tests, one true change alone could not be claimed");
  }
  std::vector<Gate> of_machine = machine_gates(pairs.both, result.rule.design);
  apply_allowed(options.allow, of_machine);
  std::move(of_machine.begin(), of_machine.end(), std::back_inserter(result.gates));
  const bool incomplete = !result.only_base.empty() || !result.only_candidate.empty();
  conclude(options, incomplete, result);
  for (const std::string& warning : base.results->warnings) result.warnings.push_back(warning);
  for (const std::string& warning : candidate.results->warnings) {
    result.warnings.push_back(warning);
  }
  return result;
}

}  // namespace stepbench
