// SPDX-License-Identifier: Apache-2.0
#include "harness/nights/acts.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <filesystem>
#include <set>

#include "harness/base/error.h"
#include "harness/base/format.h"
#include "harness/nights/night.h"
#include "harness/text/numbers.h"
#include "harness/text/time_text.h"
#include "harness/text/words.h"

namespace stepbench::nights {

namespace {

constexpr std::size_t kDayLetters = 10;
constexpr double kLargestChange = 10;  // a factor of ten

void check_reason(const std::string& reason) {
  if (reason.find_first_not_of(" \t\r\n") == std::string::npos) {
    throw ConfigError("TEXT", "is empty; give the reason");
  }
}

void check_until(const std::string& until, std::string_view today) {
  if (until.empty()) return;
  if (until.size() != kDayLetters || !text::parse_utc(until)) {
    throw ConfigError(
        "--until",
        formatted("expected a date as 2026-01-31, or how long from today as 2w, found '{}'",
                  until));
  }
  if (until < today) {
    throw ConfigError("--until", formatted("{} has passed; today is {}", until, today));
  }
}

double checked_change(const Alert& alert, const std::string& text) {
  const auto change = parse_change(text);
  if (!change) {
    throw ConfigError("--expect",
                      formatted("expected a change in percent as +3% or -0.5%, found '{}'", text));
  }
  // An alert is always about a change for the worse, whatever the direction of its metric.
  const double expect = std::abs(*change);
  double seen = 0;
  if (!alert.series.empty()) {
    const AlertSeries& first = alert.series.front();
    seen = relative_change(std::abs(first.change.size), first.as_share);
  }
  if (expect < seen) {
    throw ConfigError("--expect", formatted("'{}' is less than the change of {}: {} %", text,
                                            alert.id, text::signed_percent(seen)));
  }
  return expect;
}

bool ends_with_baseline(const Alert& alert, const TrackedRun& run,
                        std::span<const TrackedRun> runs) {
  if (alert.host != run.host || alert.experiment != run.experiment) return false;
  if (alert.state != AlertState::kOpen && alert.state != AlertState::kAccepted) return false;
  const TrackedRun* first_bad = nights::find_run(runs, alert.first_bad);
  return first_bad == nullptr || first_bad->started_utc <= run.started_utc;
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
  throw ConfigError(
      "ALERT", formatted("no alert '{}'{}; `stepbench track show --open` lists the open ones", id,
                         text::did_you_mean(wanted, known)));
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
    throw ConfigError(
        where, formatted("the history has no run '{}'{}; `stepbench track add RUN` takes one in",
                         text, text::did_you_mean(name, known)));
  }
  constexpr std::size_t kListed = 5;
  const std::size_t listed = std::min(found.size(), kListed);
  throw ConfigError(where, formatted("'{}' is the beginning of {}: {}{}", text,
                                     text::counted(std::ssize(found), "run"),
                                     text::join(std::span(found).first(listed), ", ",
                                                [](const TrackedRun* run) { return run->run_id; }),
                                     listed < found.size() ? ", ..." : ""));
}

TrackEvent accept_alert(const Alert& alert, const Acceptance& acceptance, std::string_view today) {
  check_reason(acceptance.reason);
  check_until(acceptance.until, today);
  if (alert.state != AlertState::kOpen && alert.state != AlertState::kAccepted) {
    throw ConfigError(
        "--as", formatted("{} is {}: there is nothing to accept", alert.id, name_of(alert.state)));
  }
  TrackEvent event{.what = std::string(name_of(AlertEvent::kAccepted)),
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
  if (alert.state == AlertState::kAccepted) {
    events.push_back({.what = std::string(name_of(AlertEvent::kReopened)),
                      .alert_id = alert.id,
                      .reason = reason.empty() ? "it is no longer accepted" : reason});
  }
  if (alert.assignee != person) events.push_back(assign_alert(alert, person, ""));
  if (events.empty()) {
    throw ConfigError(
        "--as", formatted("{} is {} and {}: nothing to take back", alert.id, name_of(alert.state),
                          person.empty() ? "unassigned" : "assigned to " + person));
  }
  return events;
}

std::vector<TrackEvent> set_baseline(const TrackedRun& run, const AlertLog& log,
                                     std::span<const TrackedRun> runs, const std::string& reason) {
  check_reason(reason);
  std::vector<TrackEvent> fresh = {
      {.what = std::string(kBaselineEvent),
       .reason = reason,
       .details = {{"run", run.run_id}, {"experiment", run.experiment}, {"host", run.host}}}};
  for (const Alert& alert : log.alerts) {
    if (!ends_with_baseline(alert, run, runs)) continue;
    fresh.push_back({.what = std::string(name_of(AlertEvent::kClosed)),
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

std::set<std::string, std::less<>> ignored_series(std::span<const TrackEvent> events,
                                                  std::string_view today) {
  std::set<std::string, std::less<>> ignored;
  for (const TrackEvent& event : events) {
    const std::string series = text_of(event.details, "series");
    if (event.what == kWatchedEvent) ignored.erase(series);
    if (event.what != kIgnoredEvent) continue;
    const std::string until = text_of(event.details, "until");
    if (until.empty() || today <= until) {
      ignored.insert(series);
    } else {
      ignored.erase(series);
    }
  }
  return ignored;
}

TrackEvent note_alert(const Alert& alert, const std::string& words) {
  if (words.empty())
    throw ConfigError("TEXT", "is empty: say what people should know, or give --as or --who");
  return {.what = std::string(name_of(AlertEvent::kNoted)), .alert_id = alert.id, .reason = words};
}

TrackEvent note_run(const TrackedRun& run, const std::string& words) {
  if (words.empty())
    throw ConfigError("TEXT", "is empty: say what people should know, or give --as baseline");
  return {.what = std::string(name_of(AlertEvent::kNoted)),
          .reason = words,
          .details = {{"run", run.run_id}}};
}

TrackEvent assign_alert(const Alert& alert, const std::string& to, const std::string& reason) {
  return {.what = std::string(name_of(AlertEvent::kAssigned)),
          .alert_id = alert.id,
          .reason = reason,
          .details = {{"to", to}}};
}

std::vector<std::string> chosen_night(const std::vector<std::string>& wanted,
                                      const std::vector<TrackedRun>& runs, const std::string& host,
                                      const std::string& now_utc) {
  if (wanted.empty()) return tonights_runs(runs, host, now_utc);
  std::vector<std::string> ids;
  std::string of_host;
  for (const std::string& one : wanted) {
    const TrackedRun& run = resolve_run(one, runs, "--night");
    if (!of_host.empty() && of_host != run.host) {
      throw ConfigError("--night", formatted("runs of two machines, {} and {}, are not one night",
                                             of_host, run.host));
    }
    if (is_imported(run)) {
      throw ConfigError("--night", run.run_id +
                                       " was measured by another program and is no longer judged; "
                                       "name a run from `stepbench track list`");
    }
    of_host = run.host;
    ids.push_back(run.run_id);
  }
  return ids;
}

std::string no_run_words(const std::vector<TrackedRun>& runs, const std::string& host) {
  std::set<std::string> hosts;
  for (const TrackedRun& run : runs) {
    if (!is_imported(run)) hosts.insert(run.host);
  }
  if (hosts.empty()) {
    return "the history has no run to judge: `stepbench nightly FILE` measures a night";
  }
  return formatted(
      "the history has no run of this machine, {}; it has runs of {}: --night RUN names one of "
      "them",
      host, text::join(hosts));
}

}  // namespace stepbench::nights
