// SPDX-License-Identifier: Apache-2.0
#include "harness/track/night_cycle.h"

#include <algorithm>
#include <set>
#include <tuple>
#include <utility>

#include "harness/track/reference.h"

namespace stepbench::track {
namespace {

// A bridge that finds something makes a suspicion, which is measured in the next round.
constexpr int kRounds = 3;

// Of the nights of which the history has points.
std::string oldest_utc(const History& history) {
  std::size_t oldest = history.runs.size();
  for (const SeriesHistory& series : history.series) {
    if (!series.points.empty()) oldest = std::min(oldest, series.points.front().run);
  }
  return oldest < history.runs.size() ? history.runs[oldest].started_utc : std::string();
}

}  // namespace

Night run_night(NightInput input, std::vector<TrackEvent>& events, const NightCycle& cycle) {
  const ReferenceLog references(events, oldest_utc(input.history));
  if (input.references == nullptr) input.references = &references;
  Night night;
  const auto judge = [&] {
    input.events = events;
    night = judge_night(input);
  };
  const auto record = [&](std::vector<TrackEvent> fresh) {
    if (fresh.empty()) return false;
    AlertLog log = fold_alerts(events);
    add_events(log, fresh);
    if (cycle.record) cycle.record(fresh);
    events.insert(events.end(), fresh.begin(), fresh.end());
    judge();
    return true;
  };
  judge();
  (void)record(night.events);
  std::set<std::tuple<DueFor, std::string, std::string>> asked;
  for (int round = 0; cycle.measure && round < kRounds; ++round) {
    if (cycle.is_interrupted && cycle.is_interrupted()) return night;
    std::vector<DueMeasurement> due = measurements_due(input, night);
    std::erase_if(due, [&](const DueMeasurement& one) {
      return !asked.insert({one.why, one.alert, one.series}).second;
    });
    if (due.empty()) break;
    const bool any = record(events_of(cycle.measure(due), night.alerts, night.runs));
    if (cycle.is_interrupted && cycle.is_interrupted()) return night;
    if (any) (void)record(night.events);
  }
  (void)record(expiring_events(input, night));
  return night;
}

}  // namespace stepbench::track
