// SPDX-License-Identifier: Apache-2.0
#include "harness/track/night_cycle.h"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>
#include <utility>

#include "harness/track/reference.h"

namespace stepbench::track {
namespace {

// A bridge that finds something makes a suspicion, which is measured in the next round; and a
// program that cannot be measured makes room for another one.
constexpr int kRounds = 5;
constexpr std::size_t kProgramsANight = 3;  // that are tried for one question

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
  std::map<std::tuple<DueFor, std::string, std::string>, std::set<std::string>> asked;
  for (int round = 0; cycle.measure && round < kRounds; ++round) {
    if (cycle.is_interrupted && cycle.is_interrupted()) return night;
    std::vector<DueMeasurement> due = measurements_due(input, night);
    std::erase_if(due, [&](const DueMeasurement& one) {
      std::set<std::string>& programs = asked[{one.why, one.alert, one.series}];
      return programs.size() == kProgramsANight || !programs.insert(one.against).second;
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
