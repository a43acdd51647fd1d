// SPDX-License-Identifier: Apache-2.0
#include "harness/track/alert.h"

#include <algorithm>
#include <charconv>
#include <map>
#include <utility>

namespace stepbench::track {
namespace {

AlertSeries* series_in(Alert& alert, std::string_view id) {
  const auto found = std::find_if(alert.series.begin(), alert.series.end(),
                                  [&](const AlertSeries& each) { return each.id == id; });
  return found == alert.series.end() ? nullptr : &*found;
}

void open(Alert& alert, const TrackEvent& event) {
  const EventNight night = night_of(event);
  const MovedSeries moved = moved_series(event);
  alert.worse = moved.worse;
  alert.host = night.host;
  alert.experiment = night.experiment;
  alert.opened_run = night.run;
  alert.opened_utc = night.utc;
  alert.first_bad = moved.first_bad;
  alert.last_good = moved.last_good;
  alert.confirmations = 0;
  alert.by_baseline = false;
}

void join_alert(Alert& alert, const TrackEvent& event) {
  const MovedSeries moved = moved_series(event);
  if (moved.series.empty()) return;
  AlertSeries* series = series_in(alert, moved.series);
  if (series == nullptr) series = &alert.series.emplace_back(AlertSeries{.id = moved.series});
  if (!series->holds()) series->measured.clear();
  series->experiment = night_of(event).experiment;
  series->first_bad = moved.first_bad;
  series->last_good = series->suspected_good = moved.last_good;
  series->usual = moved.usual;
  series->value = moved.value;
  series->change = moved.change;
  series->score = moved.score.value_or(0);
  series->against = moved.against;
}

// The range of what was measured: the newest program against which it was there, and the first
// night in which it was.
void narrow_range(AlertSeries& series, const AlertMeasurement& one) {
  const bool before =
      std::any_of(series.measured.begin(), series.measured.end(),
                  [](const AlertMeasurement& each) { return each.reproduced && !each.closing; });
  if (one.closing || !one.reproduced || before) return;
  if (!one.night.empty()) series.first_bad = one.night;
  if (!one.good.empty()) series.last_good = one.good;
}

void measure(Alert& alert, const TrackEvent& event) {
  MeasuredSeries measured = measured_series(event);
  AlertSeries* series = series_in(alert, measured.series);
  if (series == nullptr) return;
  narrow_range(*series, measured.measurement);
  if (series == alert.series.data()) {
    alert.first_bad = series->first_bad;
    alert.last_good = series->last_good;
  }
  if (measured.measurement.reproduced && !measured.measurement.closing) ++alert.confirmations;
  series->measured.push_back(std::move(measured.measurement));
}

void apply(Alert& alert, AlertEvent what, AlertState to, const TrackEvent& event) {
  const AlertState from = alert.state;
  alert.state = to;
  if (from != to || alert.events.empty()) alert.changed_utc = night_of(event).utc;
  if (!event.reason.empty()) alert.note = event.reason;
  switch (what) {
    case AlertEvent::kFired:
      if (from != to || alert.events.empty()) open(alert, event);
      join_alert(alert, event);
      break;
    case AlertEvent::kConfirmed:
    case AlertEvent::kImproved:
      if (from != to) alert.told_utc = alert.news_utc = night_of(event).utc;
      break;
    case AlertEvent::kAcknowledged: {
      if (from != AlertState::kAcknowledged) alert.before = from;
      AcceptedChange accepted = accepted_change(event);
      alert.until = std::move(accepted.until);
      alert.expect = accepted.expect;
      break;
    }
    case AlertEvent::kExpired:
    case AlertEvent::kGrew:
      alert.until.clear();
      alert.expect.reset();
      alert.news_utc = night_of(event).utc;
      break;
    case AlertEvent::kBaseline:
      alert.by_baseline = to == AlertState::kFixed;
      break;
    case AlertEvent::kUnmeasured:
      alert.still_moved = still_moved(event);
      break;
    default:
      break;
  }
}

// Of "A17": 17; 0 for anything else.
std::int64_t alert_number(std::string_view id) {
  if (id.size() < 2 || id.front() != 'A') return 0;
  std::int64_t number = 0;
  const auto [end, error] = std::from_chars(id.data() + 1, id.data() + id.size(), number);
  return error == std::errc() && end == id.data() + id.size() ? number : 0;
}

std::string refusal(const Alert& alert, const TrackEvent& event) {
  return "alert " + event.alert_id + ": '" + event.what + "' cannot happen " +
         (alert.events.empty() ? "before it is opened"
                               : "when it is " + std::string(name_of(alert.state)));
}

}  // namespace

const AlertSeries* Alert::find(std::string_view series_id) const {
  const auto found = std::find_if(series.begin(), series.end(),
                                  [&](const AlertSeries& each) { return each.id == series_id; });
  return found == series.end() ? nullptr : &*found;
}

bool Alert::is_undecided(const AlertSeries& one) const {
  if (is_pending(state)) return one.holds();
  if (state != AlertState::kRegression && state != AlertState::kImprovement) return false;
  const Telling known = one.telling();
  return known != Telling::kTold && known != Telling::kDismissed;
}

const Alert* AlertLog::find(std::string_view id) const {
  const auto found = std::find_if(alerts.begin(), alerts.end(),
                                  [&](const Alert& alert) { return alert.id == id; });
  return found == alerts.end() ? nullptr : &*found;
}

bool apply_event(Alert& alert, const TrackEvent& event) {
  const bool is_new = alert.events.empty();
  if (event.what == kMeasuredEvent && !is_new) {
    measure(alert, event);
    alert.events.push_back(event);
    return true;
  }
  if ((event.what == kNotedEvent || event.what == kAssignedEvent) && !is_new) {
    if (event.what == kAssignedEvent) alert.assignee = text_of(event.details, "to");
    alert.events.push_back(event);
    return true;
  }
  const auto what = one_of<AlertEvent>(event.what);
  if (!what || alert_number(event.alert_id) == 0) return false;
  const auto to =
      state_after(is_new ? std::nullopt : std::optional(alert.state), *what, alert.before);
  if (!to) return false;
  alert.id = event.alert_id;
  apply(alert, *what, *to, event);
  alert.events.push_back(event);
  return true;
}

AlertLog fold_alerts(std::span<const TrackEvent> events, const SeeEvent& see) {
  AlertLog log;
  std::map<std::string, Alert, std::less<>> alerts;
  for (const TrackEvent& event : events) {
    Alert* known = event.alert_id.empty() ? nullptr : &alerts[event.alert_id];
    if (see) see(known, event);
    if (known == nullptr) continue;
    Alert& alert = *known;
    if (!apply_event(alert, event)) log.left_out.push_back(refusal(alert, event));
  }
  for (auto& [id, alert] : alerts) {
    if (!alert.events.empty()) log.alerts.push_back(std::move(alert));
  }
  std::sort(log.alerts.begin(), log.alerts.end(),
            [](const Alert& a, const Alert& b) { return alert_number(a.id) < alert_number(b.id); });
  return log;
}

void add_events(AlertLog& log, std::span<TrackEvent> events) {
  for (TrackEvent& event : events) {
    if (event.alert_id.empty()) continue;
    const auto known = std::find_if(log.alerts.begin(), log.alerts.end(),
                                    [&](const Alert& alert) { return alert.id == event.alert_id; });
    const bool is_new = known == log.alerts.end();
    Alert fresh;
    Alert& alert = is_new ? fresh : *known;
    event.from_state = is_new ? std::string_view() : name_of(alert.state);
    if (!apply_event(alert, event)) {
      log.left_out.push_back(refusal(alert, event));
      continue;
    }
    event.to_state = name_of(alert.state);
    alert.events.back() = event;
    if (is_new) log.alerts.push_back(std::move(fresh));
  }
}

std::string next_alert_id(std::span<const TrackEvent> events) {
  std::int64_t highest = 0;
  for (const TrackEvent& event : events) highest = std::max(highest, alert_number(event.alert_id));
  return "A" + std::to_string(highest + 1);
}

}  // namespace stepbench::track
