// SPDX-License-Identifier: Apache-2.0
#include "harness/report/history_view.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "harness/stats/order.h"
#include "harness/track/busy_nights.h"
#include "harness/track/level.h"
#include "harness/track/segments.h"

namespace stepbench::report {
namespace {

std::map<std::size_t, const track::TrackedPoint*> points_by_run(
    const track::SeriesHistory& series) {
  std::map<std::size_t, const track::TrackedPoint*> points;
  for (const track::TrackedPoint& point : series.points) points[point.run] = &point;
  return points;
}

// What the control case usually takes, over the nights that are shown.
std::optional<double> usual_control(const std::vector<HistoryNight>& nights) {
  std::vector<double> controls;
  for (const HistoryNight& night : nights) {
    if (night.point != nullptr && night.point->control && *night.point->control > 0) {
      controls.push_back(*night.point->control);
    }
  }
  if (controls.empty()) return std::nullopt;
  return stats::median(controls);
}

void screen_night(HistoryNight& night, const track::SeriesHistory& series, std::size_t at,
                  const track::History& history, const track::LevelFacts& facts,
                  const track::ScreenOptions& options) {
  std::vector<double> segment;
  const std::vector<std::size_t> level = level_of(series, at, history, facts).points;
  for (const std::size_t i : level) segment.push_back(series.points[i].value);
  segment.push_back(series.points[at].value);
  const track::ScreenAnswer answer = track::screen(segment, options);
  if (answer.warming_up) return;
  night.usual = answer.usual;
  night.change = answer.change;
  night.score = answer.score;
  night.fired = answer.fired();
}

std::vector<HistoryNight*> finite_nights(HistoryView& view) {
  std::vector<HistoryNight*> finite;
  for (HistoryNight& night : view.nights) {
    if (has_value(night)) finite.push_back(&night);
  }
  return finite;
}

}  // namespace

bool has_value(const HistoryNight& night) {
  return night.point != nullptr && std::isfinite(night.point->value);
}

void find_level_changes(HistoryView& view) {
  const std::vector<HistoryNight*> nights = finite_nights(view);
  std::vector<double> values;
  for (const HistoryNight* night : nights) values.push_back(night->point->value);
  if (values.size() >= 2) view.changes = track::divisive_change_points(values);
  for (const track::ChangePoint& change : view.changes) {
    if (change.index < nights.size()) nights[change.index]->changed = &change;
  }
}

HistoryView view_of(const track::SeriesHistory& series, const track::History& history,
                    const track::AlertLog& log, std::span<const track::TrackEvent> events,
                    const track::ScreenOptions& screen, std::size_t last) {
  HistoryView view{.series = &series};
  const auto points = points_by_run(series);
  if (points.empty()) return view;
  const track::TrackedRun& newest = history.runs.at(points.rbegin()->first);
  for (std::size_t i = points.begin()->first; i < history.runs.size(); ++i) {
    const track::TrackedRun& run = history.runs[i];
    const auto point = points.find(i);
    if (point == points.end() && (run.experiment != newest.experiment || run.host != newest.host)) {
      continue;
    }
    view.nights.push_back({.run = &run,
                           .point = point == points.end() ? nullptr : point->second,
                           .busy = track::busy_of(run, series.series.case_id)});
  }
  if (view.nights.size() > last) {
    view.nights.erase(view.nights.begin(), view.nights.end() - static_cast<std::ptrdiff_t>(last));
  }

  const auto control = usual_control(view.nights);
  const track::LevelFacts facts = track::level_facts(log, events, track::run_times(history.runs));
  track::ScreenOptions options = screen;
  options.resolution = series.series.unit == "ns" ? 1 : 0;
  for (HistoryNight* finite : finite_nights(view)) {
    HistoryNight& night = *finite;
    const auto at = static_cast<std::size_t>(night.point - series.points.data());
    screen_night(night, series, at, history, facts, options);
    if (control && series.series.unit == "ns" && night.point->control &&
        *night.point->control > 0) {
      night.normalised = night.point->value / *night.point->control * *control;
    }
  }
  for (const track::Segment& segment : track::segments_of(series, history.runs)) {
    for (HistoryNight* night : finite_nights(view)) {
      if (segment.why != track::SegmentStart::kFirst && !segment.points.empty() &&
          night->point == &series.points[segment.points.front()]) {
        night->begins_segment = true;
      }
    }
  }
  find_level_changes(view);
  for (const track::Alert& alert : log.alerts) {
    const track::AlertSeries* known = alert.find(series.series.id);
    if (known == nullptr) continue;
    view.alerts.push_back(&alert);
    for (HistoryNight& night : view.nights) {
      if (night.run->run_id == known->first_bad) night.alert = alert.id;
    }
  }
  for (const track::TrackEvent& event : events) {
    if (event.what != track::kNotedEvent || !event.alert_id.empty()) continue;
    for (HistoryNight& night : view.nights) {
      if (night.run->run_id != text_of(event.details, "run")) continue;
      night.note += (night.note.empty() ? "" : "; ") + event.reason;
    }
  }
  return view;
}

}  // namespace stepbench::report
