// SPDX-License-Identifier: Apache-2.0
#include "harness/track/level.h"

#include <algorithm>
#include <cmath>

namespace stepbench::track {
namespace {

std::string time_of_run(const RunTimes& times, std::string_view run) {
  const auto found = times.find(run);
  return found == times.end() ? std::string() : found->second;
}

// When the night was measured in which the alert came to its state.
std::string closed_utc(const Alert& alert) {
  const TrackEvent& last = alert.events.back();
  const std::string night = text_of(last.details, "night_utc");
  return night.empty() ? last.at_utc : night;
}

bool begins_a_level(const Alert& alert, const AlertSeries& series) {
  switch (alert.state) {
    case AlertState::kRegression:
    case AlertState::kImprovement:
      return !alert.is_undecided(series);
    case AlertState::kAcknowledged:
    case AlertState::kEnvironmentChange:
      return true;
    case AlertState::kUnmeasured:
      return alert.still_moved;
    default:
      return false;
  }
}

void add_alert(LevelFacts& facts, const Alert& alert, const AlertSeries& series,
               const RunTimes& times) {
  const std::string first_bad = time_of_run(times, series.first_bad);
  if (first_bad.empty() || !series.holds()) return;
  if (begins_a_level(alert, series)) {
    facts.begins[series.id].push_back({.run_id = series.first_bad, .why = SegmentStart::kTold});
  } else if (alert.is_undecided(series)) {
    facts.left_out[series.id].push_back({.from = first_bad});
  } else if (alert.state == AlertState::kFixed && !alert.by_baseline) {
    facts.left_out[series.id].push_back({.from = first_bad, .until = closed_utc(alert)});
  }
}

bool is_left_out(std::span<const LevelFacts::Span> spans, const std::string& utc) {
  return std::any_of(spans.begin(), spans.end(), [&](const LevelFacts::Span& span) {
    return utc >= span.from && (span.until.empty() || utc < span.until);
  });
}

template <typename Map, typename Key>
auto entries_of(const Map& map, const Key& key) {
  const auto found = map.find(key);
  return found == map.end() ? std::span<const typename Map::mapped_type::value_type>()
                            : std::span<const typename Map::mapped_type::value_type>(found->second);
}

}  // namespace

RunTimes run_times(std::span<const TrackedRun> runs) {
  RunTimes times;
  for (const TrackedRun& run : runs) times[run.run_id] = run.started_utc;
  return times;
}

LevelFacts level_facts(const AlertLog& log, std::span<const TrackEvent> events,
                       const RunTimes& times) {
  LevelFacts facts;
  for (const Alert& alert : log.alerts) {
    for (const AlertSeries& series : alert.series) add_alert(facts, alert, series, times);
  }
  for (const TrackEvent& event : events) {
    if (event.what != kBaselineEvent || !event.alert_id.empty()) continue;
    facts.baselines[{text_of(event.details, "host"), text_of(event.details, "experiment")}]
        .push_back({.run_id = text_of(event.details, "run"), .why = SegmentStart::kBaseline});
  }
  return facts;
}

SeriesLevel level_of(const SeriesHistory& series, std::size_t at, const History& history,
                     const LevelFacts& facts, LevelOf of) {
  const TrackedRun& run = history.runs.at(series.points.at(at).run);
  const auto begins = entries_of(facts.begins, series.series.id);
  std::vector<SegmentBreak> breaks(begins.begin(), begins.end());
  const auto baselines = entries_of(facts.baselines, std::pair(run.host, run.experiment));
  breaks.insert(breaks.end(), baselines.begin(), baselines.end());
  const auto left_out = entries_of(facts.left_out, series.series.id);
  const auto counts = [&](std::size_t i) {
    return std::isfinite(series.points[i].value) &&
           !is_left_out(left_out, history.runs.at(series.points[i].run).started_utc);
  };

  const Environments environments =
      of == LevelOf::kValues ? Environments::kApart : Environments::kTogether;
  std::vector<Segment> segments;
  if (at + 1 == series.points.size()) {
    segments = segments_of(series, history.runs, breaks, environments);
  } else {
    SeriesHistory until_then{.series = series.series};
    until_then.points.assign(series.points.begin(),
                             series.points.begin() + static_cast<std::ptrdiff_t>(at) + 1);
    segments = segments_of(until_then, history.runs, breaks, environments);
  }
  SeriesLevel level;
  for (const Segment& segment : segments) {
    if (segment.points.empty() || segment.points.back() != at) continue;
    level.why = segment.why;
    for (const std::size_t i : segment.points) {
      if (i < at && counts(i)) level.points.push_back(i);
    }
    if (segment.why == SegmentStart::kCohort) {
      for (std::size_t i = segment.points.front(); i-- > 0;) {
        if (counts(i)) level.pins.push_back(i);
      }
    }
  }
  level.pins.insert(level.pins.end(), level.points.begin(), level.points.end());
  if (level.points.size() > kLevelPoints) {
    level.points.erase(level.points.begin(),
                       level.points.end() - static_cast<std::ptrdiff_t>(kLevelPoints));
  }
  return level;
}

}  // namespace stepbench::track
