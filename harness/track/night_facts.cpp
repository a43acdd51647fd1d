// SPDX-License-Identifier: Apache-2.0
#include "harness/track/night_facts.h"

#include <algorithm>
#include <cmath>

namespace stepbench::track {
namespace {

// Series that somebody asked not to look at on this date.
std::set<std::string, std::less<>> ignored_series(std::span<const TrackEvent> events,
                                                  std::string_view date) {
  std::set<std::string, std::less<>> ignored;
  for (const TrackEvent& event : events) {
    if (event.what != kIgnoredEvent && event.what != kWatchedEvent) continue;
    const std::string id = text_of(event.details, "series");
    const std::string until = text_of(event.details, "until");
    if (event.what == kIgnoredEvent && (until.empty() || date <= until)) ignored.insert(id);
    if (event.what == kWatchedEvent) ignored.erase(id);
  }
  return ignored;
}

// Clocks are read in whole nanoseconds; the peak of a process moves by pages and by when its
// threads allocate, whatever its size.
double resolution_of(const SeriesHistory& series) {
  constexpr double kMebibyte = 1 << 20;
  if (series.series.unit == "bytes") return kMebibyte;
  return series.series.unit == "ns" ? 1 : 0;
}

}  // namespace

std::vector<double> values_at(const SeriesHistory& series, std::span<const std::size_t> points) {
  std::vector<double> values;
  values.reserve(points.size() + 1);
  for (const std::size_t i : points) values.push_back(series.points[i].value);
  return values;
}

NightFacts::NightFacts(const NightInput& input)
    : input_(input),
      times_(run_times(input.runs)),
      log_(fold_alerts(input.events)),
      levels_(level_facts(log_, input.events, times_)),
      bridges_(bridges_of(input.events)) {
  if (input.references == nullptr) own_references_.emplace(input.events);
  for (const TrackedRun& run : input.runs) by_id_.emplace(run.run_id, &run);
  for (const std::string& id : input.tonight) {
    const TrackedRun* run = run_named(id);
    if (run == nullptr) continue;
    runs_.push_back(*run);
    margins_.emplace(run->run_id, *run);
    newest_utc_ = std::max(newest_utc_, run->started_utc);
    if (first_utc_.empty() || run->started_utc < first_utc_) first_utc_ = run->started_utc;
  }
  unusable_.emplace(input.events, input.runs, newest_utc_);
  for (const TrackedRun& run : input.history.runs) {
    is_tonight_.push_back(std::any_of(runs_.begin(), runs_.end(), [&](const TrackedRun& tonight) {
      return tonight.run_id == run.run_id;
    }));
  }
  ignored_ = ignored_series(input.events, date());
  screen_control_cases();
}

const ReferenceLog& NightFacts::references() const {
  return input_.references != nullptr ? *input_.references : *own_references_;
}

std::string NightFacts::date() const {
  return newest_utc_.substr(0, std::string_view("2026-01-31").size());
}

const TrackedRun* NightFacts::tonights_run(std::string_view experiment) const {
  const auto run = std::find_if(runs_.rbegin(), runs_.rend(), [&](const TrackedRun& each) {
    return each.experiment == experiment;
  });
  return run == runs_.rend() ? nullptr : &*run;
}

const TrackedRun* NightFacts::run_named(std::string_view id) const {
  const auto found = by_id_.find(id);
  return found == by_id_.end() ? nullptr : found->second;
}

std::optional<std::size_t> NightFacts::point_tonight(const SeriesHistory& series) const {
  for (std::size_t i = series.points.size(); i-- > 0;) {
    if (is_tonight_.at(series.points[i].run)) return i;
    if (run_of(series, i).started_utc < first_utc_) return std::nullopt;
  }
  return std::nullopt;
}

std::size_t NightFacts::tonight_index(const TrackedRun& last) const {
  for (std::size_t i = input_.history.runs.size(); i-- > 0;) {
    if (is_tonight_[i] && input_.history.runs[i].experiment == last.experiment) return i;
  }
  return input_.history.runs.size() - 1;
}

bool NightFacts::is_recent(std::string_view run) const {
  constexpr std::size_t kRecent = 3;
  std::size_t nights = 0;
  for (auto each = input_.runs.rbegin(); each != input_.runs.rend(); ++each) {
    if (each->started_utc > newest_utc_ || each->host != runs_.front().host) continue;
    if (each->run_id == run) return true;
    if (++nights >= kRecent * runs_.size()) return false;
  }
  return false;
}

bool NightFacts::is_ignored(std::string_view series) const { return ignored_.contains(series); }

bool NightFacts::is_imported(const SeriesHistory& series) const {
  return !series.points.empty() && track::is_imported(run_of(series, series.points.size() - 1));
}

bool NightFacts::is_kept(const TrackedRun& run) const {
  return !run.git_dirty && (!input_.has_program || input_.has_program(run));
}

ScreenOptions NightFacts::screen_of_series(const SeriesHistory& series) const {
  ScreenOptions options = input_.screen;
  options.resolution = resolution_of(series);
  return options;
}

double NightFacts::margin_of(const SeriesHistory& series, const TrackedRun& run) const {
  const auto found = margins_.find(run.run_id);
  return found == margins_.end() ? kTellMargin : found->second.of(series.series);
}

const ScreenAnswer* NightFacts::control_of(std::string_view run) const {
  const auto found = controls_.find(run);
  return found == controls_.end() ? nullptr : &found->second;
}

void NightFacts::screen_control_cases() {
  for (const SeriesHistory& series : input_.history.series) {
    if (!series.series.control || series.series.metric != "step_ns") continue;
    const auto at = point_tonight(series);
    if (!at || !std::isfinite(series.points[*at].value)) continue;
    std::vector<double> segment =
        values_at(series, level_of(series, *at, input_.history, levels_).points);
    segment.push_back(series.points[*at].value);
    controls_[run_of(series, *at).run_id] = screen(segment, screen_of_series(series));
  }
}

}  // namespace stepbench::track
