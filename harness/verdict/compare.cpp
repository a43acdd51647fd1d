// SPDX-License-Identifier: Apache-2.0
#include "harness/verdict/comparison.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "harness/base/error.h"
#include "harness/estimate/columns.h"
#include "harness/estimate/launch_values.h"
#include "harness/verdict/internal/comparability.h"
#include "harness/verdict/internal/gates.h"

namespace stepbench::verdict {
namespace {

std::vector<MissingCase> missing(const std::vector<CaseLaunches>& cases) {
  std::vector<MissingCase> result;
  result.reserve(cases.size());
  for (const CaseLaunches& one : cases) {
    result.push_back({one.first->key.case_id, one.first->workload, one.first->options});
  }
  return result;
}

// Returns the values in the order in which they were measured, which differs from the order of
// launch numbers after a resumed run.
std::vector<double> in_run_order(const CaseLaunches& one, const std::vector<double>& values) {
  std::vector<std::pair<std::size_t, double>> timed(values.size());
  for (std::size_t i = 0; i < values.size(); ++i) {
    timed[i] = {one.measured[i]->place, values[i]};
  }
  std::stable_sort(timed.begin(), timed.end(),
                   [](const auto& a, const auto& b) { return a.first < b.first; });
  std::vector<double> ordered(values.size());
  std::transform(timed.begin(), timed.end(), ordered.begin(),
                 [](const auto& item) { return item.second; });
  return ordered;
}

// A metric name that no case has a value for is probably a typing error.
void refuse_absent(const std::vector<CasePair>& pairs, const TestedMetrics& tested) {
  const TestedMetric* absent = nullptr;
  for (const CasePair& pair : pairs) {
    absent = absent_metric(pair, tested);
    if (absent == nullptr) return;
  }
  if (absent == nullptr) return;
  throw ConfigError("--metric", "no launch of either result gives '" + absent->name +
                                    "'; `stepbench show --case ID` prints the numbers of a case");
}

// Two matched sides with their samples, before any test.
struct Gathered {
  Comparison result;
  std::vector<Metric> columns;
  CasePairs pairs;
  std::vector<PairedSamples> family;
  std::vector<PairedSamples> counts;
  std::vector<std::vector<double>> base_runs;
  std::vector<estimate::StepTimes> steps;  // of `pairs`
};

Gathered gather(const ComparisonSide& base, const ComparisonSide& candidate,
                const CompareOptions& options) {
  Gathered gathered;
  Comparison& result = gathered.result;
  result.base = base.where;
  result.candidate = candidate.where;
  result.rule = {.design = Design::kSequential};
  add_hosts(*base.results, result.hosts);
  add_hosts(*candidate.results, result.hosts);
  if (base.results->runs.size() == 1) result.swept = base.results->runs.front().swept;
  gathered.columns = common_columns(base, candidate);
  const CaseKey by_id = [](const record::LaunchRow& row) { return row.key.case_id; };
  gathered.pairs = pair_cases(base, candidate, options.key ? options.key : by_id);
  const CasePairs& pairs = gathered.pairs;
  result.environment =
      environment_differences(base, candidate, pairs, options.allow, options.ignore);
  refuse_mismatch(candidate, result.environment);
  result.only_base = missing(pairs.only_base);
  result.only_candidate = missing(pairs.only_candidate);
  refuse_absent(pairs.both, options.tested);
  for (const CasePair& pair : pairs.both) {
    CaseResult one = begin_case_result(pair);
    const MetricValues values(pair);
    gathered.steps.push_back(values.steps());
    gathered.base_runs.push_back(in_run_order(pair.base, values.steps().base));
    std::vector<MetricSamples> all_samples =
        metric_samples(pair, values, gathered.columns, options.tested);
    for (std::string& note : take_varying_counts(all_samples)) one.notes.push_back(std::move(note));
    for (MetricSamples& asked : all_samples) {
      if (!asked.note.empty()) one.notes.push_back(asked.note);
      one.metrics.push_back(metric_result(asked));
      (asked.primary ? gathered.family : gathered.counts).push_back(std::move(asked.samples));
    }
    result.cases.push_back(std::move(one));
  }
  return gathered;
}

// Consumes the next tests of the family; they are in the order in which they were gathered.
Comparison finish(const ComparisonSide& base, const ComparisonSide& candidate,
                  const CompareOptions& options, const TestFamily& primary,
                  std::size_t& next_primary, Gathered gathered) {
  Comparison result = std::move(gathered.result);
  const std::vector<CasePair>& pairs = gathered.pairs.both;
  TestFamily exact = judge(gathered.counts, result.rule);
  result.tested = primary.tested;
  result.aa_control = aa_control(gathered.base_runs);
  const ProfiledLaunches base_profiled(*base.results);
  const ProfiledLaunches candidate_profiled(*candidate.results);
  const CountGateInput gate{base.where, candidate.where, gathered.columns, options};
  if (options.gate_counts) refuse_unlike_counting(gate, result.environment);
  std::size_t next_exact = 0;
  for (std::size_t i = 0; i < result.cases.size(); ++i) {
    CaseResult& one = result.cases[i];
    for (MetricResult& metric : one.metrics) {
      if (!metric.primary) {
        metric.test = std::move(exact.tests[next_exact++]);
        continue;
      }
      metric.test = primary.tests[next_primary++];
      if (is_rejected(metric.test, result.rule.q)) {
        ++(metric.test.slower ? result.rejected_slower : result.rejected_faster);
      }
    }
    add_noise_gates(pairs[i], gathered.steps[i], "the base", "the candidate", result.gates);
    const CountedLaunches before{pairs[i].base.measured, base_profiled.of(one.case_id, ""),
                                 base_profiled.counted(one.case_id, "")};
    const CountedLaunches after{pairs[i].candidate.measured,
                                candidate_profiled.of(one.candidate_case_id, ""),
                                candidate_profiled.counted(one.candidate_case_id, "")};
    for (std::string& note : exact_count_notes(before, after, gathered.columns)) {
      one.notes.push_back(std::move(note));
    }
    explain_change(pairs[i], result.rule, before.profiled, after.profiled, one);
    if (options.gate_counts) judge_counts(gate, before, after, one);
  }
  std::string few = too_few_to_prove(primary.fewest_pairs, primary.tested, result.rule);
  if (!few.empty() && !options.gate_counts) result.warnings.push_back(std::move(few));
  std::vector<Gate> of_machine = machine_gates(pairs, result.rule.design);
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

}  // namespace

std::vector<Comparison> compare_several(const ComparisonSide& base,
                                        std::span<const ComparisonSide> candidates,
                                        const CompareOptions& options) {
  std::vector<Gathered> all;
  std::vector<PairedSamples> family;
  for (const ComparisonSide& candidate : candidates) {
    all.push_back(gather(base, candidate, options));
    std::move(all.back().family.begin(), all.back().family.end(), std::back_inserter(family));
  }
  // Primary metrics form one family; exact counts need no correction and are judged outside of it.
  const VerdictRule rule{.design = Design::kSequential};
  const TestFamily primary = judge(family, rule);
  std::vector<Comparison> comparisons;
  std::size_t next = 0;
  for (std::size_t i = 0; i < all.size(); ++i) {
    comparisons.push_back(finish(base, candidates[i], options, primary, next, std::move(all[i])));
  }
  return comparisons;
}

std::size_t worst_of(std::span<const Comparison> comparisons) {
  const auto worse = [](const Comparison& a, const Comparison& b) {
    return std::pair(a.exit_code, severity(a.verdict)) <
           std::pair(b.exit_code, severity(b.verdict));
  };
  const auto worst = std::max_element(comparisons.begin(), comparisons.end(), worse);
  return static_cast<std::size_t>(worst - comparisons.begin());
}

Comparison compare(const ComparisonSide& base, const ComparisonSide& candidate,
                   const CompareOptions& options) {
  return std::move(compare_several(base, {&candidate, 1}, options).front());
}

}  // namespace stepbench::verdict
