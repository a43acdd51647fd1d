// SPDX-License-Identifier: Apache-2.0
#include "harness/track/night_alerts.h"

#include <algorithm>
#include <charconv>
#include <utility>

#include "harness/text/numbers.h"
#include "harness/track/level.h"

namespace stepbench::track {
namespace {

bool ends_an_alert(AlertState state) {
  return !is_open(state) && state != AlertState::kAcknowledged;
}

std::string night_utc_of(const TrackEvent& event) { return text_of(event.details, "night_utc"); }

std::string move_text(const NightSeries& series, ScreenKind screen) {
  if (series.creep) {
    return series.series.metric + ' ' + text::signed_percent(series.change.value_or(0)) +
           " % in small steps: " + series.why;
  }
  return series.series.metric + ' ' + text::signed_percent(series.change.value_or(0)) + " % (" +
         std::string(name_of(screen)) + ' ' + text::significant(series.score.value_or(0), 2) + ')';
}

Fields details_of(const NightSeries& series) {
  Fields details = {{"series", series.series.id},         {"worse", series.worse},
                    {"first_bad", series.first_bad},      {"last_good", series.last_good},
                    {"usual", series.usual.value_or(0)},  {"value", series.value.value_or(0)},
                    {"change", series.change.value_or(0)}};
  if (series.score) details["score"] = *series.score;
  if (series.creep) details["creep"] = true;
  return details;
}

// "A18" is followed by "A19".
std::string following_id(const std::string& id) {
  std::int64_t number = 0;
  std::from_chars(id.data() + 1, id.data() + id.size(), number);
  return 'A' + std::to_string(number + 1);
}

}  // namespace

TrackEvent night_event(AlertEvent what, const std::string& alert, const TrackedRun& tonight,
                       std::string reason, Fields details) {
  TrackEvent event{.what = std::string(name_of(what)),
                   .alert_id = alert,
                   .reason = std::move(reason),
                   .details = std::move(details)};
  event.details["night"] = tonight.run_id;
  event.details["night_utc"] = tonight.started_utc;
  event.details["host"] = tonight.host;
  event.details["experiment"] = tonight.experiment;
  return event;
}

NightAlerts::NightAlerts(const AlertLog& log, const NightInput& input) : log_(log), input_(input) {
  for (const TrackedRun& run : input.runs) runs_[run.run_id] = &run;
  for (const std::string& id : input.tonight) {
    const auto run = runs_.find(id);
    if (run == runs_.end()) continue;
    host_ = run->second->host;
    const std::string& utc = run->second->started_utc;
    if (first_utc_.empty() || utc < first_utc_) first_utc_ = utc;
  }
  for (const Alert& alert : log.alerts) {
    if (alert.host != host_) continue;
    if (ends_an_alert(alert.state) && !ended_tonight(alert)) continue;
    for (const AlertSeries& series : alert.series) {
      // A series that was measured tonight and was not there is told tonight as well.
      const bool told =
          series.holds() || (!series.measured.empty() &&
                             std::find(input.tonight.begin(), input.tonight.end(),
                                       series.measured.back().night) != input.tonight.end());
      if (told) by_series_[series.id] = &alert;
    }
  }
}

bool NightAlerts::ended_tonight(const Alert& alert) const {
  return night_utc_of(alert.events.back()) >= first_utc_;
}

const Alert* NightAlerts::of(std::string_view series) const {
  const auto found = by_series_.find(series);
  return found == by_series_.end() ? nullptr : found->second;
}

bool NightAlerts::is_followed(const Alert& alert) const {
  return !ends_an_alert(alert.state) && alert.opened_utc < first_utc_;
}

std::string NightAlerts::commit_of(std::string_view run) const {
  const auto found = runs_.find(run);
  if (found == runs_.end()) return {};
  const TrackedRun& known = *found->second;
  return known.git_sha.empty() ? known.build_id : known.git_sha;
}

std::string NightAlerts::utc_of(std::string_view run) const {
  const auto found = runs_.find(run);
  return found == runs_.end() ? std::string() : found->second->started_utc;
}

// Whether what moved lies between commits that overlap those of the alert.
bool NightAlerts::same_range(const Alert& alert, const NightSeries& series) const {
  for (const AlertSeries& known : alert.series) {
    if (commit_of(known.last_good) == commit_of(series.last_good) &&
        commit_of(known.first_bad) == commit_of(series.first_bad)) {
      return true;
    }
    const auto run = runs_.find(series.run);
    if (run == runs_.end() || known.experiment != run->second->experiment) continue;
    if (known.last_good.empty() || series.last_good.empty()) continue;
    if (utc_of(series.last_good) < utc_of(known.first_bad) &&
        utc_of(known.last_good) < utc_of(series.first_bad)) {
      return true;
    }
  }
  return false;
}

bool NightAlerts::may_reopen(const Alert& alert, const NightSeries& series) const {
  if (alert.by_baseline || !state_after(alert.state, AlertEvent::kFired, alert.before) ||
      alert.find(series.series.id) == nullptr || ended_tonight(alert)) {
    return false;
  }
  if (alert.state == AlertState::kImprovement) return false;
  const std::string closed = night_utc_of(alert.events.back());
  const auto tonight = runs_.find(series.run);
  if (closed.empty() || tonight == runs_.end()) return false;
  const auto nights =
      std::count_if(input_.runs.begin(), input_.runs.end(), [&](const TrackedRun& run) {
        return run.host == host_ && run.experiment == tonight->second->experiment &&
               run.started_utc > closed && run.started_utc <= tonight->second->started_utc;
      });
  return nights <= static_cast<std::ptrdiff_t>(kReopenNights);
}

std::vector<TrackEvent> NightAlerts::joining_events(
    const std::vector<const NightSeries*>& fired) const {
  AlertLog now = log_;
  std::string fresh = next_alert_id(input_.events);
  std::vector<TrackEvent> events;
  const auto choose = [&](const NightSeries& series) -> std::string {
    for (const Alert& alert : now.alerts) {
      if (alert.host != host_ || alert.worse != series.worse) continue;
      if (is_open(alert.state) && same_range(alert, series)) return alert.id;
    }
    // The newest first.
    for (auto alert = now.alerts.rbegin(); alert != now.alerts.rend(); ++alert) {
      if (alert->host != host_ || alert->worse != series.worse) continue;
      if (ends_an_alert(alert->state) && may_reopen(*alert, series)) return alert->id;
    }
    return std::exchange(fresh, following_id(fresh));
  };
  for (const NightSeries* series : fired) {
    const TrackedRun& tonight = *runs_.at(series->run);
    const std::string id = choose(*series);
    events.push_back(night_event(AlertEvent::kFired, id, tonight,
                                 move_text(*series, input_.screen.kind), details_of(*series)));
    const auto known = std::find_if(now.alerts.begin(), now.alerts.end(),
                                    [&](const Alert& alert) { return alert.id == id; });
    apply_event(known == now.alerts.end() ? now.alerts.emplace_back() : *known, events.back());
  }
  return events;
}

}  // namespace stepbench::track
