// SPDX-License-Identifier: Apache-2.0
#include "harness/compare/comparison.h"

#include <algorithm>
#include <utility>

#include "harness/compare/exit_code.h"

namespace stepbench {
namespace {

bool names(const std::vector<std::string>& list, const std::string& name) {
  return std::find(list.begin(), list.end(), name) != list.end();
}

std::vector<MissingCase> missing(const std::vector<CaseLaunches>& cases) {
  std::vector<MissingCase> result;
  result.reserve(cases.size());
  for (const CaseLaunches& one : cases) {
    result.push_back({one.first->key.case_id, one.first->workload, one.first->options});
  }
  return result;
}

void note_missing_launches(const CaseLaunches& one, const std::string& side, CaseResult& result) {
  if (one.not_measured == 0) return;
  result.notes.push_back(std::to_string(one.not_measured) + " of " +
                         std::to_string(one.not_measured + one.measured.size()) + " launches in " +
                         side + " have no measurement: " + one.reason);
}

std::size_t steps_of(const CaseLaunches& one) {
  if (one.measured.empty()) return 0;
  std::size_t steps = 0;
  for (const SamplesRow& row : one.measured.front()->samples) {
    if (!row.values.empty()) steps += row.values.front().size();
  }
  return steps;
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

CaseResult start_of(const CasePair& pair) {
  CaseResult result{.case_id = pair.base.first->key.case_id,
                    .candidate_case_id = pair.candidate.first->key.case_id,
                    .workload = pair.base.first->workload,
                    .options = pair.base.first->options,
                    .metrics = {},
                    .cause = {},
                    .notes = {}};
  note_missing_launches(pair.base, "the base", result);
  note_missing_launches(pair.candidate, "the candidate", result);
  const std::size_t before = steps_of(pair.base);
  const std::size_t after = steps_of(pair.candidate);
  if (before != after && before != 0 && after != 0) {
    result.notes.push_back(std::to_string(before) + " active steps in the base and " +
                           std::to_string(after) +
                           " in the candidate: medians of unequal counts are biased");
  }
  return result;
}

bool changed(const Judgement& judgement) {
  return judgement.verdict == Verdict::kRegression || judgement.verdict == Verdict::kImprovement ||
         judgement.verdict == Verdict::kSuspect;
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

  // Primary questions are one family; exact counts need no correction and are judged beside it.
  std::vector<Question> family;
  std::vector<Question> counts;
  std::vector<std::vector<double>> base_runs;
  for (const CasePair& pair : pairs.both) {
    CaseResult one = start_of(pair);
    for (MetricQuestion& asked : questions_of(pair, columns, options.margins)) {
      one.metrics.push_back({.name = std::move(asked.name),
                             .metric = std::move(asked.metric),
                             .unit = std::move(asked.unit),
                             .primary = asked.primary,
                             .margin = asked.question.margin,
                             .judgement = {}});
      if (one.metrics.size() == 1) {
        base_runs.push_back(in_run_order(pair.base, asked.question.base));
      }
      (asked.primary ? family : counts).push_back(std::move(asked.question));
    }
    result.cases.push_back(std::move(one));
  }
  Family primary = judge(family, result.rule);
  Family exact = judge(counts, result.rule);
  result.tested = primary.tested;
  result.rejected_slower = primary.rejected_slower;
  result.rejected_faster = primary.rejected_faster;
  result.aa_control = aa_control(base_runs);

  std::vector<Judgement> all;
  std::size_t next_primary = 0;
  std::size_t next_exact = 0;
  for (std::size_t i = 0; i < result.cases.size(); ++i) {
    CaseResult& one = result.cases[i];
    for (MetricResult& metric : one.metrics) {
      metric.judgement = std::move(metric.primary ? primary.judgements[next_primary++]
                                                  : exact.judgements[next_exact++]);
      all.push_back(metric.judgement);
    }
    if (changed(one.metrics.front().judgement)) {
      one.cause = explaining(phase_changes(pairs.both[i], result.rule.confidence));
    }
  }
  if (primary.cannot_reject_alone) {
    result.warnings.push_back("cannot_reject_alone: with so few launches and " +
                              std::to_string(primary.tested) +
                              " tests, one true change alone could not be claimed");
  }
  const bool incomplete = !result.only_base.empty() || !result.only_candidate.empty();
  const GateInput gate{.judgements = all,
                       .campaign_invalid = result.aa_control.state == AaControl::State::kFailed,
                       .missing_cases = incomplete && !names(options.allow, "missing"),
                       .allow_inconclusive = options.allow_inconclusive};
  result.verdict = overall(gate);
  result.exit_code = exit_code(gate);
  for (const std::string& warning : base.results->warnings) result.warnings.push_back(warning);
  for (const std::string& warning : candidate.results->warnings) {
    result.warnings.push_back(warning);
  }
  return result;
}

}  // namespace stepbench
