// SPDX-License-Identifier: Apache-2.0
#include "harness/campaign/confirm_judgement.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "harness/base/error.h"
#include "harness/compare/case_result.h"
#include "harness/compare/same_work.h"
#include "harness/text/words.h"
#include "harness/track/bridge.h"
#include "harness/track/series.h"

namespace stepbench::campaign {
namespace {

constexpr double kConfidence = 0.95;  // of the changes of phases

struct PairValues {  // pair i at index i; NaN: no value
  std::vector<double> good;
  std::vector<double> tonight;
  double good_median = 0;
  double tonight_median = 0;
  bool timed = true;
  bool of_step = false;
};

PairValues values_of(const std::string& series_metric, const compare::AbPairs& pairs,
                     const std::vector<Metric>& columns) {
  const std::string metric = series_metric.starts_with(track::kPhaseSeries)
                                 ? series_metric.substr(track::kPhaseSeries.size())
                                 : series_metric;
  const compare::MetricSamples asked =
      compare::metric_samples(pairs, columns, compare::tested_metrics({&metric, 1}, columns))
          .front();
  const compare::MetricResult described = compare::metric_result(asked);
  const compare::TestResult test = compare::judge({&asked.samples, 1}, {}).tests.front();
  return {.good = asked.samples.base,
          .tonight = asked.samples.candidate,
          .good_median = test.base_median,
          .tonight_median = test.candidate_median,
          .timed = described.timed,
          .of_step = described.of_step};
}

// Why times cannot be judged; empty: they can.
std::string invalid_because(const compare::Comparison& comparison) {
  std::vector<std::string> reasons;
  for (const compare::Gate& gate : comparison.gates) {
    if (gate.state == compare::GateState::kFailed) reasons.push_back(gate.text);
  }
  if (comparison.aa_control.state == compare::AaControl::State::kFailed) {
    reasons.emplace_back("launches of the last good build alone differ from each other");
  }
  if (comparison.rule.design == compare::Design::kSequential) {
    reasons.emplace_back("the launches of the two builds did not take turns");
  }
  return text::join(reasons, "; ");
}

ConfirmFinding invalid(std::string why) {
  return {.kind = FindingKind::kInvalid, .why = std::move(why)};
}

void explain(const compare::AbPoint& point, const compare::AbPairs& pairs,
             const record::Results& results, ConfirmFinding& finding) {
  finding.cause =
      compare::explaining_phases(pairs.pair, kConfidence, compare::Design::kInterleaved);
  const compare::ProfiledLaunches profiled(results);
  finding.ops = compare::op_changes(profiled.of(point.a_case, compare::kArmA),
                                    profiled.of(point.b_case, compare::kArmB), true);
}

// A case that a look took out of the campaign has fewer pairs than were asked for.
track::ConfirmAnswer answer_of(const Suspect& suspect, const PairValues& values,
                               const JudgedCampaign& campaign) {
  if (campaign.bridge) return track::bridge_answer(values.good, values.tonight, suspect.layout_sd);
  if (values.good.size() < campaign.pairs) {
    const track::ConfirmAnswer look = track::look_answer(values.good, values.tonight);
    if (look.judged && track::is_over(look, suspect.higher, suspect.margin)) return look;
  }
  return track::confirm(values.good, values.tonight, suspect.higher, suspect.margin);
}

}  // namespace

bool is_over(const Suspect& suspect, const compare::AbPoint& point, const record::Results& results,
             const std::vector<Metric>& columns, std::size_t pairs) {
  const compare::AbPairs measured = compare::ab_pairs(results, {point}).front();
  if (measured.pair.base.measured.empty() || measured.pair.candidate.measured.empty()) return false;
  try {
    const PairValues values = values_of(suspect.metric, measured, columns);
    const std::size_t count = std::min({pairs, values.good.size(), values.tonight.size()});
    const track::ConfirmAnswer look = track::look_answer(std::span(values.good).first(count),
                                                         std::span(values.tonight).first(count));
    return look.judged && track::is_over(look, suspect.higher, suspect.margin);
  } catch (const ConfigError&) {
    return false;  // judge_suspect() says why
  }
}

ConfirmFinding judge_suspect(const Suspect& suspect, const compare::AbPoint& point,
                             const JudgedCampaign& campaign) {
  const compare::AbPairs pairs = compare::ab_pairs(campaign.results, {point}).front();
  const compare::CaseLaunches& good = pairs.pair.base;
  const compare::CaseLaunches& tonight = pairs.pair.candidate;
  if (pairs.base_launches.empty() && good.not_measured > 0) {
    return {.kind = FindingKind::kNotComparable,
            .why = "the last good build no longer runs here: " + good.reason,
            .good_fails = true};
  }
  if (good.measured.empty()) {
    return invalid(tonight.reason.empty()
                       ? "no pair was measured"
                       : "tonight's build fails in the second measurement: " + tonight.reason);
  }
  if (const auto difference = compare::fingerprint_difference(pairs.pair)) {
    return {.kind = FindingKind::kNotComparable, .why = compare::to_text(*difference)};
  }
  PairValues values;
  try {
    values = values_of(suspect.metric, pairs, campaign.columns);
  } catch (const ConfigError& error) {
    return invalid(error.what());
  }
  const track::ConfirmAnswer answer = answer_of(suspect, values, campaign);
  if (!answer.judged) {
    const std::string& reason = good.reason.empty() ? tonight.reason : good.reason;
    return invalid("only " + std::to_string(answer.pairs) + " of " +
                   text::counted(static_cast<std::int64_t>(campaign.pairs), "pair") +
                   " gave a value" + (reason.empty() ? "" : ": " + reason));
  }
  if (values.timed) {
    std::string why = invalid_because(campaign.comparison);
    if (!why.empty()) return invalid(std::move(why));
  }
  ConfirmFinding finding{
      .kind = answer.reproduced ? FindingKind::kReproduced : FindingKind::kNotReproduced,
      .answer = answer,
      .good_value = values.good_median,
      .tonight_value = values.tonight_median};
  if (answer.reproduced && values.timed) explain(point, pairs, campaign.results, finding);
  if (!values.of_step) finding.cause.clear();
  return finding;
}

}  // namespace stepbench::campaign
