// SPDX-License-Identifier: Apache-2.0
#include "harness/nights/internal/alert.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <map>
#include <utility>

namespace stepbench::nights {
namespace {

double number_in(const TrackEvent& event, std::string_view name) {
  return number_of(event.details, name).value_or(0);
}

bool flag_in(const TrackEvent& event, std::string_view name) {
  const auto found = event.details.find(name);
  const bool* flag = found == event.details.end() ? nullptr : std::get_if<bool>(&found->second);
  return flag != nullptr ? *flag : number_in(event, name) != 0;
}

bool is(const TrackEvent& event, AlertEvent what) { return event.what == name_of(what); }

// States of versions before 2.0, which measured a suspected change repeatedly.
struct OldState {
  std::string_view name;
  AlertState now;
  std::string_view why = {};
};
constexpr OldState kOldStates[] = {
    {"regression", AlertState::kOpen},
    {"acknowledged", AlertState::kAccepted},
    {"improvement", AlertState::kClosed, "an improvement is no longer an alert"},
    {"not-reproduced", AlertState::kClosed, "it was measured and not shown"},
    {"suspect", AlertState::kClosed, "suspicions are judged by the pairs of each night"},
    {"reproduced", AlertState::kClosed, "what was not told is judged by the pairs of each night"},
    {"doubtful", AlertState::kClosed, "what was not told is judged by the pairs of each night"},
    {"invalid", AlertState::kClosed, "what was not told is judged by the pairs of each night"},
    {"unmeasured", AlertState::kClosed, "nothing could measure it"},
    {"environment-change", AlertState::kClosed, "the environment changed, no program"},
};

void set_state(Alert& alert, const TrackEvent& event) {
  if (const auto state = one_of<AlertState>(event.to_state)) {
    alert.state = *state;
    return;
  }
  for (const OldState& old : kOldStates) {
    if (old.name != event.to_state) continue;
    alert.state = old.now;
    if (!old.why.empty()) alert.note = old.why;
  }
}

// State after an event of this version.
std::string_view state_after(const Alert& alert, const TrackEvent& event) {
  if (is(event, AlertEvent::kReported) || is(event, AlertEvent::kGrew)) {
    const bool accepted = alert.state == AlertState::kAccepted && !alert.events.empty();
    return name_of(accepted ? AlertState::kAccepted : AlertState::kOpen);
  }
  if (is(event, AlertEvent::kReopened)) return name_of(AlertState::kOpen);
  if (is(event, AlertEvent::kAccepted)) return name_of(AlertState::kAccepted);
  if (is(event, AlertEvent::kFixed)) return name_of(AlertState::kFixed);
  if (is(event, AlertEvent::kClosed)) return name_of(AlertState::kClosed);
  return {};
}

AlertSeries series_in(const TrackEvent& event) {
  AlertSeries series{.id = text_of(event.details, "series"),
                     .experiment = text_of(event.details, "experiment"),
                     .change = {.size = number_in(event, "size"),
                                .low = number_in(event, "low"),
                                .high = number_in(event, "high"),
                                .good = text_of(event.details, "last_good"),
                                .bad = text_of(event.details, "first_bad"),
                                .likely = text_of(event.details, "likely")},
                     .as_share = flag_in(event, "as_share"),
                     .usual = number_in(event, "usual"),
                     .value = number_in(event, "value"),
                     .reported_run = text_of(event.details, "night"),
                     .cause = text_of(event.details, "cause")};
  if (event.what == "fired" || event.what == "measured")
    series.change.size = std::abs(std::log1p(number_in(event, "change")));
  return series;
}

AlertSeries* find_series(Alert& alert, std::string_view id) {
  const auto found = std::ranges::find(alert.series, id, &AlertSeries::id);
  return found == alert.series.end() ? nullptr : &*found;
}

void take_series(Alert& alert, const TrackEvent& event) {
  const AlertSeries reported = series_in(event);
  AlertSeries* known = find_series(alert, reported.id);
  if (is(event, AlertEvent::kReported) || event.what == "fired") {
    if (known == nullptr) known = &alert.series.emplace_back();
    *known = reported;
    return;
  }
  if (known == nullptr) return;
  if (is(event, AlertEvent::kGrew)) known->change.size += reported.change.size;
  if (event.what == "measured") known->change.size = reported.change.size;
  if (is(event, AlertEvent::kGrew) && !reported.cause.empty()) known->cause = reported.cause;
  if (is(event, AlertEvent::kRecovered)) known->back = true;
  if (is(event, AlertEvent::kUnreachable)) known->can_be_measured = false;
}

// Narrows the range to the builds that are possible for all of its series.
void take_range(Alert& alert, const TrackEvent& event) {
  if (!is(event, AlertEvent::kReported) && event.what != "fired") return;
  const std::string good = text_of(event.details, "last_good");
  const std::string bad = text_of(event.details, "first_bad");
  if (alert.last_good.empty() || good > alert.last_good) alert.last_good = good;
  if (alert.first_bad.empty() || bad < alert.first_bad) alert.first_bad = bad;
}

void apply(Alert& alert, const TrackEvent& event) {
  const std::string night = text_of(event.details, "night_utc");
  const std::string at = night.empty() ? event.at_utc : night;
  if (alert.events.empty()) {
    alert.host = text_of(event.details, "host");
    alert.experiment = text_of(event.details, "experiment");
    alert.opened_run = text_of(event.details, "night");
    alert.opened_utc = night;
  }
  const AlertState before = alert.state;
  take_range(alert, event);
  take_series(alert, event);
  if (!event.reason.empty() && !is(event, AlertEvent::kRecovered)) alert.note = event.reason;
  set_state(alert, event);
  if (before != alert.state || alert.events.empty()) alert.changed_utc = at;
  const bool news = is(event, AlertEvent::kReported) || is(event, AlertEvent::kGrew) ||
                    is(event, AlertEvent::kReopened) || event.what == "confirmed" ||
                    event.what == "expired";
  if (news && alert.state == AlertState::kOpen) alert.news_utc = at;
  if (alert.state == AlertState::kOpen) {
    alert.until.clear();
    alert.expect.reset();
  }
  if (is(event, AlertEvent::kAccepted) || event.what == "acknowledged") {
    alert.until = text_of(event.details, "until");
    alert.expect = number_of(event.details, "expect");
  }
  if (is(event, AlertEvent::kAssigned)) alert.assignee = text_of(event.details, "to");
  alert.events.push_back(event);
}

std::size_t number_of_alert(std::string_view id) {
  std::size_t number = 0;
  if (id.starts_with('A')) std::from_chars(id.data() + 1, id.data() + id.size(), number);
  return number;
}

Alert& alert_named(AlertLog& log, const std::string& id) {
  const auto after = [](const Alert& alert, const std::string& other) {
    const std::size_t a = number_of_alert(alert.id);
    const std::size_t b = number_of_alert(other);
    return a != b ? a < b : alert.id < other;
  };
  const auto at = std::lower_bound(log.alerts.begin(), log.alerts.end(), id, after);
  if (at != log.alerts.end() && at->id == id) return *at;
  return *log.alerts.insert(at, Alert{.id = id});
}

}  // namespace

const AlertSeries* Alert::find(std::string_view series_id) const {
  const auto found = std::ranges::find(series, series_id, &AlertSeries::id);
  return found == series.end() ? nullptr : &*found;
}

const Alert* AlertLog::find(std::string_view id) const {
  const auto found = std::ranges::find(alerts, id, &Alert::id);
  return found == alerts.end() ? nullptr : &*found;
}

const Alert* AlertLog::of_series(std::string_view series, std::string_view host,
                                 std::string_view experiment) const {
  for (auto alert = alerts.rbegin(); alert != alerts.rend(); ++alert) {
    if (alert->state != AlertState::kOpen && alert->state != AlertState::kAccepted) continue;
    if (alert->host != host || alert->experiment != experiment) continue;
    const AlertSeries* known = alert->find(series);
    if (known != nullptr && !known->back) return &*alert;
  }
  return nullptr;
}

AlertLog fold_alerts(std::span<const TrackEvent> events) {
  AlertLog log;
  for (const TrackEvent& event : events) {
    if (!event.alert_id.empty()) apply(alert_named(log, event.alert_id), event);
  }
  return log;
}

void apply_event(AlertLog& log, TrackEvent& event) {
  if (event.alert_id.empty()) return;
  Alert& alert = alert_named(log, event.alert_id);
  event.to_state = state_after(alert, event);
  if (!event.to_state.empty() && !alert.events.empty()) event.from_state = name_of(alert.state);
  apply(alert, event);
}

TrackEvent event_of(AlertEvent what, const std::string& alert, const EventNight& night,
                    std::string reason) {
  TrackEvent event{
      .what = std::string(name_of(what)), .alert_id = alert, .reason = std::move(reason)};
  nights::set_night(event, night);
  return event;
}

TrackEvent event_of(const SeriesEvent& reported) {
  TrackEvent event = event_of(reported.what, reported.alert, reported.night, reported.reason);
  const AlertSeries& series = reported.series;
  event.details["series"] = series.id;
  event.details["size"] = series.change.size;
  if (reported.what != AlertEvent::kReported && reported.what != AlertEvent::kGrew) return event;
  event.details["worse"] = true;
  event.details["low"] = series.change.low;
  event.details["high"] = series.change.high;
  event.details["last_good"] = series.change.good;
  event.details["first_bad"] = series.change.bad;
  event.details["likely"] = series.change.likely;
  event.details["usual"] = series.usual;
  event.details["value"] = series.value;
  event.details["change"] = relative_change(series.change.size, series.as_share);
  if (series.as_share) event.details["as_share"] = true;
  if (!series.cause.empty()) event.details["cause"] = series.cause;
  return event;
}

std::string next_alert_id(const AlertLog& log) {
  std::size_t last = 0;
  for (const Alert& alert : log.alerts) last = std::max(last, number_of_alert(alert.id));
  return "A" + std::to_string(last + 1);
}

std::vector<Notice> pending_notices(std::span<const TrackEvent> events, std::string_view oldest_utc,
                                    std::string_view host) {
  std::map<std::string, std::string, std::less<>> notified;  // by alert: news sent before
  for (const TrackEvent& event : events) {
    const std::string alert = text_of(event.details, "alert");
    if (event.what == kPeopleNotified) notified[alert] = text_of(event.details, "news");
    if (event.what == kNotificationFailed) notified.erase(alert);
  }
  std::vector<Notice> pending;
  for (const Alert& alert : fold_alerts(events).alerts) {
    if (alert.state != AlertState::kOpen || alert.news_utc < oldest_utc) continue;
    if (!host.empty() && alert.host != host) continue;
    const auto known = notified.find(alert.id);
    if (known != notified.end() && known->second >= alert.news_utc) continue;
    pending.push_back({alert.id, alert.news_utc});
  }
  return pending;
}

TrackEvent event_of(const Notice& notice, const char* what, std::string at_utc, std::string who,
                    std::string reason) {
  return {.at_utc = std::move(at_utc),
          .who = std::move(who),
          .what = what,
          .reason = std::move(reason),
          .details = {{"alert", notice.alert_id}, {"news", notice.news_utc}}};
}

}  // namespace stepbench::nights
