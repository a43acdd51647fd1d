// SPDX-License-Identifier: Apache-2.0
#include "harness/track/baseline.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <filesystem>

#include "harness/base/error.h"
#include "harness/text/numbers.h"
#include "harness/text/utc.h"
#include "harness/text/words.h"
#include "harness/track/level.h"

namespace stepbench::track {
namespace {

constexpr std::size_t kDateSize = 10;
constexpr double kLargestChange = 10;  // ten times as much more

void check_reason(const std::string& reason) {
  if (reason.find_first_not_of(" \t\r\n") == std::string::npos) {
    throw ConfigError("TEXT", "is empty: those who come later need to know why");
  }
}

void check_until(const std::string& until, std::string_view today) {
  if (until.empty()) return;
  if (until.size() != kDateSize || !text::parse_utc(until)) {
    throw ConfigError(
        "--until",
        "expected a date as 2026-01-31, or how long from today as 2w, found '" + until + "'");
  }
  if (until < today) {
    throw ConfigError("--until", until + " has passed; today is " + std::string(today));
  }
}

double checked_change(const Alert& alert, const std::string& text) {
  const auto change = parse_change(text);
  if (!change) {
    throw ConfigError("--expect",
                      "expected a change in percent as +3% or -0.5%, found '" + text + "'");
  }
  double expect = *change;
  const double seen = alert.series.empty() ? 0 : alert.series.front().change;
  const bool has_sign = text.front() == '+' || text.front() == '-';
  if (!has_sign && seen < 0) expect = -expect;
  if (has_sign && seen * expect < 0) {
    throw ConfigError("--expect", "'" + text + "' is the other way: " + alert.id + " is " +
                                      text::signed_percent(seen) + " %");
  }
  return expect;
}

bool ends_with_baseline(const Alert& alert, const TrackedRun& run, const RunTimes& times) {
  if (alert.host != run.host || alert.series.empty()) return false;
  if (!is_open(alert.state) && alert.state != AlertState::kAcknowledged) return false;
  return std::all_of(alert.series.begin(), alert.series.end(), [&](const AlertSeries& series) {
    const auto first_bad = times.find(series.first_bad);
    return series.experiment == run.experiment && first_bad != times.end() &&
           first_bad->second <= run.started_utc;
  });
}

}  // namespace

std::optional<double> parse_change(std::string_view text) {
  if (text.starts_with("+-") || !text.ends_with('%')) return std::nullopt;
  if (text.starts_with('+')) text.remove_prefix(1);
  text.remove_suffix(1);
  while (text.ends_with(' ')) text.remove_suffix(1);
  double percent = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), percent);
  if (error != std::errc() || end != text.data() + text.size() || !std::isfinite(percent)) {
    return std::nullopt;
  }
  const double share = percent / 100;
  if (share == 0 || share <= -1 || share > kLargestChange) return std::nullopt;
  return share;
}

bool is_alert_id(std::string_view text) {
  return text.size() > 1 && (text.front() == 'A' || text.front() == 'a') &&
         text.find_first_not_of("0123456789", 1) == std::string_view::npos;
}

const Alert& resolve_alert(const std::string& id, const AlertLog& log) {
  std::string wanted = id;
  if (!wanted.empty() && wanted.front() == 'a') wanted.front() = 'A';
  if (!wanted.empty() && wanted.find_first_not_of("0123456789") == std::string::npos) {
    wanted.insert(wanted.begin(), 'A');
  }
  if (const Alert* alert = log.find(wanted)) return *alert;
  if (log.alerts.empty()) throw ConfigError("ALERT", "there is no alert in this history");
  std::vector<std::string> known;
  for (const Alert& alert : log.alerts) known.push_back(alert.id);
  throw ConfigError("ALERT", "no alert '" + id + "'" + text::did_you_mean(wanted, known) +
                                 "; `stepbench track show --open` lists the open ones");
}

const TrackedRun& resolve_run(std::string_view text, std::span<const TrackedRun> runs,
                              const std::string& where) {
  while (text.size() > 1 && text.ends_with('/')) text.remove_suffix(1);
  const std::string name = std::filesystem::path(text).filename().string();
  std::vector<const TrackedRun*> found;
  std::vector<std::string> known;
  for (const TrackedRun& run : runs) {
    if (run.run_id == name) return run;
    if (!name.empty() && run.run_id.starts_with(name)) found.push_back(&run);
    known.push_back(run.run_id);
  }
  if (found.size() == 1) return *found.front();
  if (found.empty()) {
    throw ConfigError(where, "the history has no run '" + std::string(text) + "'" +
                                 text::did_you_mean(name, known) +
                                 "; `stepbench track add RUN` takes one in");
  }
  constexpr std::size_t kListed = 5;
  const std::size_t listed = std::min(found.size(), kListed);
  throw ConfigError(where, "'" + std::string(text) + "' is the beginning of " +
                               text::counted(std::ssize(found), "run") + ": " +
                               text::join(std::span(found).first(listed), ", ",
                                          [](const TrackedRun* run) { return run->run_id; }) +
                               (listed < found.size() ? ", ..." : ""));
}

TrackEvent accept_alert(const Alert& alert, const Acceptance& acceptance, std::string_view today) {
  check_reason(acceptance.reason);
  check_until(acceptance.until, today);
  if (!state_after(alert.state, AlertEvent::kAcknowledged, alert.before)) {
    throw ConfigError("--as", alert.id + " is " + std::string(name_of(alert.state)) +
                                  ": there is nothing to accept");
  }
  TrackEvent event{.what = std::string(name_of(AlertEvent::kAcknowledged)),
                   .alert_id = alert.id,
                   .reason = acceptance.reason};
  if (!acceptance.until.empty()) event.details["until"] = acceptance.until;
  if (!acceptance.expect.empty()) {
    event.details["expect"] = checked_change(alert, acceptance.expect);
  }
  return event;
}

std::vector<TrackEvent> reopen_alert(const Alert& alert, const std::string& person,
                                     const std::string& reason) {
  std::vector<TrackEvent> events;
  if (alert.state == AlertState::kAcknowledged) {
    events.push_back({.what = std::string(name_of(AlertEvent::kExpired)),
                      .alert_id = alert.id,
                      .reason = reason.empty() ? "it is accepted no more" : reason});
  }
  if (alert.assignee != person) events.push_back(assign_alert(alert, person, ""));
  if (events.empty()) {
    throw ConfigError("--as", alert.id + " is " + std::string(name_of(alert.state)) + " and " +
                                  (person.empty() ? "nobody's" : person + "'s") +
                                  ": there is nothing to take back");
  }
  return events;
}

std::string baseline_of(const TrackedRun& run, std::span<const TrackEvent> events) {
  std::string newest;
  for (const TrackEvent& event : events) {
    if (event.what == kBaselineEvent && event.alert_id.empty() &&
        text_of(event.details, "experiment") == run.experiment &&
        text_of(event.details, "host") == run.host) {
      newest = text_of(event.details, "run");
    }
  }
  return newest;
}

std::vector<TrackEvent> set_baseline(const TrackedRun& run, const AlertLog& log,
                                     std::span<const TrackedRun> runs, const std::string& reason) {
  check_reason(reason);
  const RunTimes times = run_times(runs);
  std::vector<TrackEvent> fresh = {
      {.what = std::string(kBaselineEvent),
       .reason = reason,
       .details = {{"run", run.run_id}, {"experiment", run.experiment}, {"host", run.host}}}};
  for (const Alert& alert : log.alerts) {
    if (!ends_with_baseline(alert, run, times)) continue;
    fresh.push_back({.what = std::string(name_of(AlertEvent::kBaseline)),
                     .alert_id = alert.id,
                     .reason = reason,
                     .details = {{"run", run.run_id}}});
  }
  return fresh;
}

TrackEvent ignore_series(const TrackedSeries& series, const std::string& reason,
                         const std::string& until, std::string_view today) {
  check_reason(reason);
  check_until(until, today);
  TrackEvent event{
      .what = std::string(kIgnoredEvent), .reason = reason, .details = {{"series", series.id}}};
  if (!until.empty()) event.details["until"] = until;
  return event;
}

TrackEvent watch_series(const TrackedSeries& series, const std::string& reason) {
  return {.what = std::string(kWatchedEvent), .reason = reason, .details = {{"series", series.id}}};
}

TrackEvent note_alert(const Alert& alert, const std::string& words) {
  if (words.empty())
    throw ConfigError("TEXT", "is empty: say what people should know, or give --as or --who");
  return {.what = std::string(kNotedEvent), .alert_id = alert.id, .reason = words};
}

TrackEvent note_run(const TrackedRun& run, const std::string& words) {
  if (words.empty())
    throw ConfigError("TEXT", "is empty: say what people should know, or give --as baseline");
  return {.what = std::string(kNotedEvent), .reason = words, .details = {{"run", run.run_id}}};
}

TrackEvent assign_alert(const Alert& alert, const std::string& to, const std::string& reason) {
  return {.what = std::string(kAssignedEvent),
          .alert_id = alert.id,
          .reason = reason,
          .details = {{"to", to}}};
}

}  // namespace stepbench::track
