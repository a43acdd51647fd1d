// SPDX-License-Identifier: Apache-2.0
#include "harness/report/history_view.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "harness/track/busy_nights.h"

namespace stepbench::report {
namespace {

std::map<std::size_t, const track::TrackedPoint*> points_by_run(
    const track::SeriesHistory& series) {
  std::map<std::size_t, const track::TrackedPoint*> points;
  for (const track::TrackedPoint& point : series.points) points[point.run] = &point;
  return points;
}

}  // namespace

std::optional<double> HistoryNight::change() const {
  return judged ? judged->change : std::nullopt;
}

std::optional<double> HistoryNight::usual() const {
  // Shares of the step have no ratio.
  if (point == nullptr || !change() || !judged->ratio || !(*change() > -1)) return std::nullopt;
  return point->value / (1 + *change());
}

bool HistoryNight::is_suspect() const {
  return judged && judged->state == nights::NightState::kSuspect;
}

bool has_value(const HistoryNight& night) {
  return night.point != nullptr && std::isfinite(night.point->value);
}

HistoryView view_of(const track::SeriesHistory& series, const track::History& history,
                    const nights::AlertLog& log, std::span<const track::TrackEvent> events,
                    std::span<const track::JudgedRow> judged, std::size_t last) {
  HistoryView view{.series = &series};
  const auto points = points_by_run(series);
  if (points.empty()) return view;
  std::map<std::string_view, const track::JudgedRow*> by_run;
  for (const track::JudgedRow& night : judged) by_run[night.run] = &night;
  const track::TrackedRun& newest = history.runs.at(points.rbegin()->first);
  for (std::size_t i = points.begin()->first; i < history.runs.size(); ++i) {
    const track::TrackedRun& run = history.runs[i];
    const auto point = points.find(i);
    if (point == points.end() && (run.experiment != newest.experiment || run.host != newest.host)) {
      continue;
    }
    HistoryNight& night = view.nights.emplace_back(
        HistoryNight{.run = &run,
                     .point = point == points.end() ? nullptr : point->second,
                     .busy = track::busy_of(run, series.series.case_id)});
    if (const auto known = by_run.find(run.run_id); known != by_run.end()) {
      night.judged = *known->second;
    }
  }
  if (view.nights.size() > last) {
    view.nights.erase(view.nights.begin(), view.nights.end() - static_cast<std::ptrdiff_t>(last));
  }
  for (const nights::Alert& alert : log.alerts) {
    const nights::AlertSeries* known = alert.find(series.series.id);
    if (known == nullptr) continue;
    view.alerts.push_back(&alert);
    const std::string& from = known->change.bad.empty() ? known->reported_run : known->change.bad;
    for (HistoryNight& night : view.nights) {
      if (night.run->run_id == from) night.alert = alert.id;
    }
  }
  const std::string_view noted = name_of(nights::AlertEvent::kNoted);
  for (const track::TrackEvent& event : events) {
    if (event.what != noted || !event.alert_id.empty()) continue;
    for (HistoryNight& night : view.nights) {
      if (night.run->run_id != text_of(event.details, "run")) continue;
      night.note += (night.note.empty() ? "" : "; ") + event.reason;
    }
  }
  return view;
}

}  // namespace stepbench::report
