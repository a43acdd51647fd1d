// SPDX-License-Identifier: Apache-2.0
#include "harness/nights/night.h"

#include <algorithm>
#include <chrono>
#include <set>
#include <utility>

#include "harness/base/error.h"
#include "harness/base/exit_status.h"
#include "harness/base/format.h"
#include "harness/text/time_text.h"

namespace stepbench::nights {

std::size_t Night::count(NightState state) const {
  return static_cast<std::size_t>(std::ranges::count(series, state, &NightSeries::state));
}

namespace {

using namespace std::chrono_literals;

constexpr auto kFutureAfter = 24h;

bool is_unfinished(const NightSeries& series) {
  return series.why == NightReason::kBudget || series.why == NightReason::kInterrupted;
}

bool is_red(const Night& night, bool known_too) {
  const auto counts = [&](const std::string& alert) {
    return known_too || std::ranges::find(night.reported, alert) != night.reported.end();
  };
  return std::ranges::any_of(night.absent, counts) ||
         std::ranges::any_of(night.series, [&](const NightSeries& series) {
           return series.state == NightState::kRegression && counts(series.alert);
         });
}

}  // namespace

void show_alert(NightSeries& series, const AlertLog& alerts, const Night& night) {
  if (series.alert.empty()) {
    for (const NightExperiment& each : night.experiments) {
      if (each.run.experiment != series.series.experiment) continue;
      const Alert* alert = alerts.of_series(series.series.id, each.run.host, each.run.experiment);
      if (alert != nullptr) series.alert = alert->id;
    }
  }
  const Alert* alert = alerts.find(series.alert);
  if (alert == nullptr || series.why == NightReason::kIgnored ||
      series.why == NightReason::kControl) {
    if (series.state == NightState::kRegression && alert == nullptr) series.state = NightState::kOk;
    return;
  }
  const AlertSeries* known = alert->find(series.series.id);
  const bool open = alert->state == AlertState::kOpen && known != nullptr && !known->back;
  if (open && series.state != NightState::kNoData) series.state = NightState::kRegression;
  if (!open && series.state == NightState::kRegression) series.state = NightState::kOk;
}

void add_absent(Night& night) {
  night.absent.clear();
  for (const Alert& alert : night.alerts.alerts) {
    if (alert.state != AlertState::kOpen) continue;
    const bool tonight = std::ranges::any_of(night.experiments, [&](const NightExperiment& each) {
      return each.run.host == alert.host && each.run.experiment == alert.experiment;
    });
    const bool shown = std::ranges::any_of(night.series, [&](const NightSeries& series) {
      return series.alert == alert.id && series.state == NightState::kRegression;
    });
    if (tonight && !shown) night.absent.push_back(alert.id);
  }
}

void end_of(Night& night, const ExitRules& rules) {
  night.verdict = verdict_of(night);
  night.exit_code = exit_code_of(night, rules);
}

NightState verdict_of(const Night& night) {
  if (is_red(night, true)) return NightState::kRegression;
  const auto any = [&](NightState state) { return night.count(state) > 0; };
  for (const NightState state :
       {NightState::kSuspect, NightState::kImprovement, NightState::kOk, NightState::kNoVerdict}) {
    if (any(state)) return state;
  }
  return NightState::kNoData;
}

int exit_code_of(const Night& night, const ExitRules& rules) {
  if (is_red(night, !rules.allow_known)) return kExitRegression;
  const bool judged = std::ranges::any_of(night.series, [](const NightSeries& series) {
    return series.state != NightState::kNoData && series.why != NightReason::kIgnored &&
           series.why != NightReason::kControl;
  });
  const bool asked = night.series.empty() || night.count(NightState::kNoData) > 0;
  if (!judged && asked) return kExitNothingMeasured;
  const bool left = std::ranges::any_of(night.series, is_unfinished);
  return left && !rules.allow_inconclusive ? kExitInconclusive : kExitOk;
}

bool is_future(std::string_view started_utc, std::string_view now_utc) {
  const auto started = text::parse_utc(started_utc);
  const auto now = text::parse_utc(now_utc);
  return started && now && *started > *now + kFutureAfter;
}

std::vector<std::string> tonights_runs(std::span<const TrackedRun> runs, std::string_view host,
                                       std::string_view now_utc) {
  const auto now = text::parse_utc(now_utc);
  // Per experiment: the newest run, and the newest with a plausible date.
  std::map<std::string, std::pair<const TrackedRun*, const TrackedRun*>> newest;
  for (const TrackedRun& run : runs) {
    if (run.host != host || nights::is_imported(run)) continue;
    auto& [any, believed] = newest[run.experiment];
    any = &run;
    if (!is_future(run.started_utc, now_utc)) believed = &run;
  }
  std::vector<const TrackedRun*> chosen;
  std::string latest;
  for (const auto& [experiment, pair] : newest) {
    const auto& [any, believed] = pair;
    const auto at = believed == nullptr ? std::nullopt : text::parse_utc(believed->started_utc);
    const bool fresh = any == believed || (at && now && *at + kNightLasts >= *now);
    chosen.push_back(fresh ? believed : any);
    latest = std::max(latest, chosen.back()->started_utc);
  }
  std::vector<std::string> ids;
  const auto last = text::parse_utc(latest);
  for (const TrackedRun* run : chosen) {
    const auto at = text::parse_utc(run->started_utc);
    if (!last || !at || *at + kNightLasts >= *last) ids.push_back(run->run_id);
  }
  return ids;
}

ExpectedWithin expected_within(std::string_view by, std::chrono::system_clock::time_point now) {
  constexpr std::size_t kDateDigits = 10;  // date part of 2026-01-31T12:00:00Z
  const std::string today = text::utc_text(now).substr(0, kDateDigits);
  const auto time = text::parse_utc(today + ' ' + std::string(by));
  if (!time) {
    throw ConfigError("--expect-by",
                      formatted("expected a time of day in UTC as 08:00, found '{}'", by));
  }
  constexpr auto kDay = std::chrono::hours(24);
  const auto last = *time <= now ? *time : *time - kDay;
  return {.from_utc = text::utc_text(last - kDay), .by_utc = text::utc_text(last)};
}

ExpectedNights expected_nights(std::span<const std::string> experiments,
                               std::span<const TrackedRun> runs, std::string_view host,
                               const ExpectedWithin& within) {
  ExpectedNights nights;
  for (const std::string& experiment : experiments) {
    const TrackedRun* newest = nullptr;
    for (const TrackedRun& run : runs) {
      if (run.experiment == experiment && run.host == host) newest = &run;
    }
    const std::string began =
        newest == nullptr ? std::string() : text::minute_text(newest->started_utc);
    if (newest != nullptr && newest->started_utc > within.from_utc) {
      nights.there.push_back(formatted("{}: its night began at {}", experiment, began));
      continue;
    }
    nights.missing.push_back(
        formatted("no night of {} ended by {}{}", experiment, text::minute_text(within.by_utc),
                  newest == nullptr ? "; no earlier night" : "; the last began at " + began));
  }
  return nights;
}

}  // namespace stepbench::nights
