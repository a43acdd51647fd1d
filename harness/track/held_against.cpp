// SPDX-License-Identifier: Apache-2.0
#include "harness/track/held_against.h"

#include <algorithm>
#include <cmath>
#include <set>

#include "harness/stats/order.h"

namespace stepbench::track {
namespace {

// Each build once: the nights of one build have one layout.
double layout_by_ratios(const HeldAgainst& held, const SeriesHistory& series,
                        const NightFacts& facts) {
  std::set<std::string_view> builds;
  std::vector<double> moved;
  std::vector<double> errors;
  for (std::size_t i = 0; i < held.points.size(); ++i) {
    const TrackedRun& run = facts.run_of(series, held.points[i]);
    if (!run.build_id.empty() && !builds.insert(run.build_id).second) continue;
    moved.push_back(held.ratios.moved[i]);
    errors.push_back(held.ratios.errors[i]);
  }
  return layout_of(moved, errors);
}

// The bridges of the level to one program.
double layout_by_bridges(const HeldAgainst& held, const SeriesHistory& series,
                         const NightFacts& facts) {
  const auto found = facts.bridges().find(series.series.id);
  if (found == facts.bridges().end()) return kLayoutSd;
  const std::string& pin = found->second.back().measurement.good;
  std::set<std::string_view> nights;
  for (const std::size_t i : held.points) nights.insert(facts.run_of(series, i).run_id);
  std::set<std::string_view> builds;
  std::vector<double> moved;
  std::vector<double> errors;
  for (const Bridge& bridge : found->second) {
    const AlertMeasurement& one = bridge.measurement;
    if (one.good != pin || !nights.contains(bridge.night.run)) continue;
    if (!builds.insert(one.builds).second) continue;
    moved.push_back(std::log1p(one.change));
    errors.push_back(standard_error(one));
  }
  return layout_of(moved, errors);
}

void take_ratios(HeldAgainst& held, const SeriesHistory& series, const NightFacts& facts) {
  const ReferenceLog& references = facts.references();
  for (const std::size_t i : held.level.points) {
    const std::string& run = facts.run_of(series, i).run_id;
    const ReferenceNight* night = references.of_run(run);
    if (run == held.reference->run) held.ratios.anchored = true;
    if (night == nullptr || night->build != held.reference->build) continue;
    const ReferenceRatio* ratio = references.find(run, series.series.id);
    if (ratio == nullptr) continue;
    held.points.push_back(i);
    held.ratios.moved.push_back(ratio->moved);
    held.ratios.errors.push_back(ratio->error);
  }
  held.ratios.moved.push_back(held.ratio->moved);
  held.ratios.errors.push_back(held.ratio->error);
  for (const double moved : held.ratios.moved) held.segment.push_back(std::exp(moved));
}

}  // namespace

HeldAgainst held_against(const SeriesHistory& series, std::size_t at, const NightFacts& facts) {
  HeldAgainst held;
  const std::string& tonight = facts.run_of(series, at).run_id;
  held.ratio = facts.references().find(tonight, series.series.id);
  const LevelOf of = held.by_ratio() ? LevelOf::kRatios : LevelOf::kValues;
  held.level = level_of(series, at, facts.input().history, facts.levels(), of);
  if (held.by_ratio()) {
    held.reference = facts.references().of_run(tonight);
    take_ratios(held, series, facts);
    held.layout_sd = layout_by_ratios(held, series, facts);
    return held;
  }
  held.points = held.level.points;
  held.segment = values_at(series, held.points);
  held.segment.push_back(series.points[at].value);
  held.layout_sd = layout_by_bridges(held, series, facts);
  return held;
}

ScreenAnswer screen_tonight(const HeldAgainst& held, const SeriesHistory& series,
                            const NightFacts& facts) {
  return held.by_ratio() ? screen_ratios(held.ratios, held.layout_sd, facts.input().screen.kind)
                         : screen(held.segment, facts.screen_of_series(series));
}

std::optional<double> environment_did(const HeldAgainst& held, const SeriesHistory& series,
                                      std::size_t at, const NightFacts& facts) {
  constexpr std::size_t kNights = 5;
  if (!held.by_ratio()) return std::nullopt;
  std::vector<double> before;
  for (std::size_t i = at; i-- > 0 && before.size() < kNights;) {
    if (series.points[i].cohort == series.points[at].cohort) continue;
    const std::string& run = facts.run_of(series, i).run_id;
    const ReferenceNight* night = facts.references().of_run(run);
    if (night == nullptr || night->build != held.reference->build) continue;
    const ReferenceRatio* ratio = facts.references().find(run, series.series.id);
    if (ratio != nullptr && ratio->value > 0) before.push_back(ratio->value);
  }
  if (before.empty()) return std::nullopt;
  return held.ratio->value / stats::median(before) - 1;
}

}  // namespace stepbench::track
