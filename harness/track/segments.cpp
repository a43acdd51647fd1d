// SPDX-License-Identifier: Apache-2.0
#include "harness/track/segments.h"

#include <algorithm>
#include <cmath>
#include <optional>

namespace stepbench::track {
namespace {

// Breaks by the index of their run, ascending.
struct Break {
  std::size_t run = 0;
  SegmentStart why = SegmentStart::kFixed;
};

std::vector<Break> in_order(std::span<const TrackedRun> runs,
                            std::span<const SegmentBreak> breaks) {
  std::vector<Break> known;
  for (const SegmentBreak& each : breaks) {
    if (const TrackedRun* run = find_run(runs, each.run_id)) {
      known.push_back({static_cast<std::size_t>(run - runs.data()), each.why});
    }
  }
  std::stable_sort(known.begin(), known.end(),
                   [](const Break& a, const Break& b) { return a.run < b.run; });
  return known;
}

std::string_view date_of(const TrackedRun& run) {
  return std::string_view(run.started_utc).substr(0, std::string_view("2026-01-31").size());
}

}  // namespace

std::vector<Segment> segments_of(const SeriesHistory& series, std::span<const TrackedRun> runs,
                                 std::span<const SegmentBreak> breaks, Environments environments) {
  const bool together = environments == Environments::kTogether;
  const std::vector<Break> known = in_order(runs, breaks);
  auto next_break = known.begin();
  std::vector<Segment> segments;
  std::size_t era = 0;  // the first segment since the last break
  std::optional<SegmentStart> broken;
  std::size_t seen = 0;              // finite points
  std::vector<std::size_t> left_at;  // by segment: `seen` after its newest point
  for (std::size_t i = 0; i < series.points.size(); ++i) {
    const TrackedPoint& point = series.points[i];
    if (!std::isfinite(point.value)) continue;
    for (; next_break != known.end() && next_break->run <= point.run; ++next_break) {
      broken = next_break->why;
    }
    if (broken) era = segments.size();
    std::size_t chosen = segments.size();
    for (std::size_t s = era; s < segments.size(); ++s) {
      const bool same =
          together || (segments[s].cohort == point.cohort && seen - left_at[s] <= kMaxPointsAway);
      if (same) chosen = s;
    }
    if (chosen == segments.size()) {
      const SegmentStart why =
          segments.empty() ? SegmentStart::kFirst : broken.value_or(SegmentStart::kCohort);
      segments.push_back({.why = why, .cohort = point.cohort});
      left_at.push_back(0);
    }
    broken.reset();
    segments[chosen].points.push_back(i);
    left_at[chosen] = ++seen;
  }
  return segments;
}

std::vector<double> values_of(const SeriesHistory& series, const Segment& segment) {
  std::vector<double> values;
  values.reserve(segment.points.size());
  for (const std::size_t i : segment.points) values.push_back(series.points[i].value);
  return values;
}

std::size_t missing_nights(const SeriesHistory& series, std::span<const TrackedRun> runs,
                           std::size_t tonight) {
  std::size_t from = 0;
  std::string_view counted;
  for (const TrackedPoint& point : series.points) {
    if (std::isfinite(point.value) && point.run <= tonight) from = point.run + 1;
  }
  if (from > 0) counted = date_of(runs[from - 1]);
  std::size_t nights = 0;
  for (std::size_t i = from; i <= tonight && i < runs.size(); ++i) {
    if (runs[i].experiment != series.series.experiment || date_of(runs[i]) == counted) continue;
    counted = date_of(runs[i]);
    ++nights;
  }
  return nights;
}

}  // namespace stepbench::track
