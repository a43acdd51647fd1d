// SPDX-License-Identifier: Apache-2.0
#include "harness/report/history.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <iterator>
#include <map>
#include <utility>

#include "harness/base/format.h"
#include "harness/base/value.h"
#include "harness/nights/history.h"
#include "harness/report/night.h"
#include "harness/report/result_tables.h"
#include "harness/text/numbers.h"
#include "harness/text/time_text.h"
#include "harness/text/words.h"

namespace stepbench::report {
namespace {

std::map<std::size_t, const nights::TrackedPoint*> points_by_run(
    const nights::SeriesHistory& series) {
  std::map<std::size_t, const nights::TrackedPoint*> points;
  for (const nights::TrackedPoint& point : series.points) points[point.run] = &point;
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

HistoryView view_of(const nights::SeriesHistory& series, const nights::History& history,
                    const nights::AlertLog& log, std::span<const nights::TrackEvent> events,
                    std::span<const nights::JudgedRow> judged, std::size_t last) {
  HistoryView view{.series = &series};
  const auto points = points_by_run(series);
  if (points.empty()) return view;
  std::map<std::string_view, const nights::JudgedRow*> by_run;
  for (const nights::JudgedRow& night : judged) by_run[night.run] = &night;
  const nights::TrackedRun& newest = history.runs.at(points.rbegin()->first);
  for (std::size_t i = points.begin()->first; i < history.runs.size(); ++i) {
    const nights::TrackedRun& run = history.runs[i];
    const auto point = points.find(i);
    if (point == points.end() && (run.experiment != newest.experiment || run.host != newest.host)) {
      continue;
    }
    HistoryNight& night = view.nights.emplace_back(
        HistoryNight{.run = &run,
                     .point = point == points.end() ? nullptr : point->second,
                     .busy = nights::busy_of(run, series.series.case_id)});
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
  for (const nights::TrackEvent& event : events) {
    if (event.what != noted || !event.alert_id.empty()) continue;
    for (HistoryNight& night : view.nights) {
      if (night.run->run_id != text_of(event.details, "run")) continue;
      night.note += (night.note.empty() ? "" : "; ") + event.reason;
    }
  }
  return view;
}

namespace {

constexpr std::size_t kProgramDigits = 8;

// "4d134bc0 Copy the batch twice (Ann)", newest first, and the number of omitted commits.
std::vector<document::Line> commit_lines(const nights::Alert& alert) {
  constexpr std::size_t kDigits = 8;
  constexpr std::size_t kShown = 8;
  std::vector<document::Line> lines;
  for (std::size_t i = 0; i < std::min(kShown, alert.commits.size()); ++i) {
    const nights::RangeCommit& commit = alert.commits[i];
    lines.emplace_back(
        formatted("commit {} {} ({})", commit.sha.substr(0, kDigits), commit.title, commit.author));
    lines.back().link = commit.url;
  }
  if (alert.commits_in_range > lines.size()) {
    lines.emplace_back(formatted("and {} more commits", alert.commits_in_range - lines.size()));
  }
  return lines;
}

}  // namespace

std::string night_date(const nights::TrackedRun& run) { return run.started_utc.substr(0, 10); }

std::string program_id(const nights::TrackedRun& run) {
  const std::string& id = run.git_sha.empty() ? run.build_id : run.git_sha;
  if (id.empty()) return "-";
  return id.substr(0, kProgramDigits) + (run.git_dirty ? "+" : "");
}

std::string program_text(const nights::TrackedRun& run) {
  std::string text;
  if (!run.git_sha.empty()) text = "commit " + run.git_sha.substr(0, kProgramDigits);
  if (!run.build_id.empty()) {
    text += (text.empty() ? "build " : ", build ") + run.build_id.substr(0, kProgramDigits);
  }
  if (run.git_dirty) text += ", with uncommitted changes";
  return text;
}

std::string differing_versions(const nights::TrackedRun& run, const nights::TrackedRun& other) {
  std::string text;
  for (const char* name : {"torch", "python"}) {
    const std::string version = text_of(run.environment, name);
    if (!version.empty() && version != text_of(other.environment, name)) {
      text += formatted(", {} {}", name, version);
    }
  }
  return text;
}

std::string range_text(const nights::Alert& alert, const nights::History& history) {
  if (alert.first_bad.empty()) return {};
  const auto words = [&](const std::string& id) {
    const nights::TrackedRun* run = history.find_run(id);
    if (run == nullptr) return id;
    std::string program = program_text(*run);
    const nights::TrackedRun* other =
        history.find_run(id == alert.last_good ? alert.first_bad : alert.last_good);
    if (other != nullptr) program += differing_versions(*run, *other);
    return night_date(*run) + (program.empty() ? "" : " (" + program + ')');
  };
  if (alert.last_good.empty()) return "no good night before " + words(alert.first_bad);
  return formatted("between {} and {}", words(alert.last_good), words(alert.first_bad));
}

std::vector<document::Line> range_lines(const nights::Alert& alert,
                                        const nights::History& history) {
  std::vector<document::Line> lines;
  if (std::string range = range_text(alert, history); !range.empty()) {
    lines.emplace_back(std::move(range));
  }
  std::ranges::move(commit_lines(alert), std::back_inserter(lines));
  return lines;
}

std::string acceptance_words(const nights::Alert& alert) {
  std::vector<std::string> words;
  if (alert.expect) words.push_back("up to " + text::signed_percent(*alert.expect) + " %");
  if (!alert.until.empty()) words.push_back("until " + alert.until);
  return text::join(words);
}

ReportedChange reported_change(const nights::AlertSeries& reported,
                               const nights::TrackedSeries* series) {
  const bool larger_is_better =
      series != nullptr && series->direction == Direction::kHigherIsBetter;
  const auto of = [&](double worse) {
    return nights::relative_change(larger_is_better ? -worse : worse, reported.as_share);
  };
  ReportedChange change{of(reported.change.size), of(reported.change.low),
                        of(reported.change.high)};
  if (change.low > change.high) std::swap(change.low, change.high);
  return change;
}

std::string reported_text(const nights::AlertSeries& reported,
                          const nights::TrackedSeries* series) {
  const ReportedChange change = reported_change(reported, series);
  return formatted("{} % [{}, {}]{}", text::signed_percent(change.change),
                   text::signed_percent(change.low), text::signed_percent(change.high),
                   reported.as_share ? " of the step" : "");
}

std::string alert_words(const nights::Alert& alert) {
  const std::string accepted = acceptance_words(alert);
  return formatted("{}: {}{}{}", alert.id, name_of(alert.state),
                   accepted.empty() ? "" : ", " + accepted,
                   alert.note.empty() ? "" : "; " + alert.note);
}

const nights::AlertSeries* largest_of(const nights::Alert& alert) {
  const auto largest = std::ranges::max_element(
      alert.series, {}, [](const nights::AlertSeries& each) { return each.change.size; });
  return largest == alert.series.end() ? nullptr : &*largest;
}

const nights::Alert* alert_named(const HistoryView& view, const std::string& id) {
  const auto found = std::ranges::find(view.alerts, id, &nights::Alert::id);
  return found == view.alerts.end() ? nullptr : *found;
}

std::vector<std::string> marks_of(const HistoryNight& night) {
  std::vector<std::string> marks;
  if (!night.alert.empty()) marks.push_back(night.alert + " began");
  if (night.judged && night.judged->reported) {
    marks.emplace_back(night.judged->state == nights::NightState::kImprovement ? "better"
                                                                               : "worse");
  }
  if (night.is_suspect()) marks.emplace_back("suspect");
  if (night.busy) marks.push_back(busy_words(*night.busy));
  if (!night.note.empty()) marks.push_back(night.note);
  return marks;
}

std::string stale_alert_words(const nights::Alert& alert, std::span<const nights::TrackedRun> runs,
                              const std::string& today, const std::string& history_words) {
  constexpr std::chrono::days kStale(14);
  std::string last;
  for (const nights::TrackedRun& run : runs) {
    if (run.experiment != alert.experiment || run.host != alert.host) continue;
    last = std::max(last, night_date(run));
  }
  const auto from = text::parse_utc(last);
  const auto until = text::parse_utc(today);
  if (alert.state != nights::AlertState::kOpen || !from || !until || *until - *from < kStale)
    return {};
  return formatted(
      "{} stays open: {} had no night on {} since {}; accept it with stepbench track note {} --as "
      "accepted \"...\"{}",
      alert.id, alert.experiment, alert.host, last, alert.id, history_words);
}

JudgedNights judged_nights(nights::TrackStore& store) {
  return [&store](const nights::SeriesHistory& one, const nights::History& history) {
    if (one.points.empty()) return std::vector<nights::JudgedRow>{};
    return store.judged_series(one.series.id, history.runs[one.points.back().run].host);
  };
}

std::string waiting_alerts_json(const nights::AlertLog& log, const nights::History& history,
                                const std::string& words) {
  std::string text;
  for (const nights::Alert& alert : log.alerts) {
    const bool waits =
        alert.state == nights::AlertState::kOpen || alert.state == nights::AlertState::kAccepted;
    if (!waits) continue;
    text += alert_json(alert, history, words);
  }
  return text;
}

std::vector<document::Figure> alert_charts(const nights::Alert& alert, const nights::AlertLog& log,
                                           const SeriesNames& names, nights::TrackStore& store) {
  constexpr std::size_t kMax = 2;
  std::vector<document::Figure> charts;
  for (const nights::AlertSeries& each : alert.series) {
    if (charts.size() == kMax) break;
    const nights::History history =
        store.history({.series = {each.id}, .host = alert.host, .last = kChartNights});
    if (history.series.empty()) continue;
    const nights::SeriesHistory& series = history.series.front();
    auto chart = series_figure(
        view_of(series, history, log, {}, judged_nights(store)(series, history), kChartNights),
        names);
    if (chart) charts.push_back(std::move(*chart));
  }
  return charts;
}

}  // namespace stepbench::report
