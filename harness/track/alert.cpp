// SPDX-License-Identifier: Apache-2.0
#include "harness/track/alert.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <map>
#include <utility>

namespace stepbench::track {
namespace {

constexpr std::array<std::string_view, kAlertStates> kStateNames = {
    "suspect",      "not-reproduced", "reproduced",
    "regression",   "improvement",    "environment-change",
    "acknowledged", "fixed",          "invalid"};

constexpr std::array<std::string_view, kAlertEvents> kEventNames = {
    "fired",   "reproduced",   "confirmed", "improved", "not-reproduced", "environment-change",
    "invalid", "acknowledged", "expired",   "grew",     "back",           "baseline"};

// What an event makes of a state.
enum class Next : std::uint8_t {
  kSusp,  // a state, in the order of AlertState
  kNotR,
  kRepr,
  kRegr,
  kImpr,
  kEnvi,
  kAckn,
  kFixd,
  kInva,
  kSame,  // it stays as it is
  kBack,  // the state that the acknowledgement ended
  kNone   // cannot happen
};

using enum Next;
using NextRow = std::array<Next, kAlertEvents>;

constexpr NextRow kUnopened = {kSusp, kNone, kNone, kNone, kNone, kNone,
                               kNone, kNone, kNone, kNone, kNone, kNone};
// clang-format off
constexpr std::array<NextRow, kAlertStates> kTable = {{
    // fired reprod. confir. improv. not-rep environ invalid acknow. expired grew    back    baseline
    {kSame, kRepr,  kRegr,  kImpr,  kNotR,  kEnvi,  kInva,  kAckn,  kNone,  kNone,  kNotR,  kFixd},  // suspect
    {kSusp, kRepr,  kRegr,  kImpr,  kSame,  kEnvi,  kSame,  kNone,  kNone,  kNone,  kSame,  kSame},  // not-reproduced
    {kSame, kSame,  kRegr,  kImpr,  kNotR,  kEnvi,  kSame,  kAckn,  kNone,  kNone,  kFixd,  kFixd},  // reproduced
    {kSame, kSame,  kSame,  kNone,  kFixd,  kSame,  kSame,  kAckn,  kNone,  kNone,  kFixd,  kFixd},  // regression
    {kSame, kSame,  kSame,  kSame,  kNotR,  kSame,  kSame,  kAckn,  kNone,  kNone,  kFixd,  kFixd},  // improvement
    {kSusp, kRepr,  kRegr,  kImpr,  kNotR,  kSame,  kSame,  kAckn,  kNone,  kNone,  kFixd,  kFixd},  // environment-change
    {kSame, kSame,  kSame,  kSame,  kSame,  kSame,  kSame,  kSame,  kBack,  kSusp,  kFixd,  kFixd},  // acknowledged
    {kSusp, kNone,  kNone,  kNone,  kSame,  kSame,  kSame,  kNone,  kNone,  kNone,  kSame,  kSame},  // fixed
    {kSusp, kRepr,  kRegr,  kImpr,  kNotR,  kEnvi,  kSame,  kAckn,  kNone,  kNone,  kNotR,  kFixd},  // invalid
}};
// clang-format on

double number_in(const TrackEvent& event, std::string_view name) {
  return number_of(event.details, name).value_or(0);
}

bool flag_in(const TrackEvent& event, std::string_view name) {
  const auto found = event.details.find(name);
  const bool* flag = found == event.details.end() ? nullptr : std::get_if<bool>(&found->second);
  if (flag != nullptr) return *flag;
  return number_in(event, name) != 0;
}

AlertSeries* series_in(Alert& alert, std::string_view id) {
  const auto found = std::find_if(alert.series.begin(), alert.series.end(),
                                  [&](const AlertSeries& each) { return each.id == id; });
  return found == alert.series.end() ? nullptr : &*found;
}

void open(Alert& alert, const TrackEvent& event) {
  alert.worse = flag_in(event, "worse");
  alert.host = text_of(event.details, "host");
  alert.experiment = text_of(event.details, "experiment");
  alert.opened_run = text_of(event.details, "night");
  alert.opened_utc = text_of(event.details, "night_utc");
  alert.first_bad = text_of(event.details, "first_bad");
  alert.last_good = text_of(event.details, "last_good");
  alert.confirmations = 0;
  alert.by_baseline = false;
}

void join_alert(Alert& alert, const TrackEvent& event) {
  const std::string id = text_of(event.details, "series");
  if (id.empty()) return;
  AlertSeries* series = series_in(alert, id);
  if (series == nullptr) series = &alert.series.emplace_back(AlertSeries{.id = id});
  if (!series->holds()) series->measured.clear();
  series->experiment = text_of(event.details, "experiment");
  series->first_bad = text_of(event.details, "first_bad");
  series->last_good = text_of(event.details, "last_good");
  series->usual = number_in(event, "usual");
  series->value = number_in(event, "value");
  series->change = number_in(event, "change");
  series->score = number_in(event, "score");
}

void measure(Alert& alert, const TrackEvent& event) {
  AlertSeries* series = series_in(alert, text_of(event.details, "series"));
  if (series == nullptr) return;
  series->measured.push_back({.reproduced = flag_in(event, "reproduced"),
                              .change = number_in(event, "change"),
                              .low = number_in(event, "low"),
                              .high = number_in(event, "high"),
                              .p = number_of(event.details, "p").value_or(1),
                              .pairs = static_cast<std::int64_t>(number_in(event, "pairs")),
                              .night = text_of(event.details, "night"),
                              .campaign = text_of(event.details, "campaign"),
                              .cause = text_of(event.details, "cause")});
}

void apply(Alert& alert, AlertEvent what, AlertState to, const TrackEvent& event) {
  const AlertState from = alert.state;
  alert.state = to;
  if (!event.reason.empty()) alert.note = event.reason;
  switch (what) {
    case AlertEvent::kFired:
      if (from != to || alert.events.empty()) open(alert, event);
      join_alert(alert, event);
      break;
    case AlertEvent::kReproduced:
    case AlertEvent::kConfirmed:
    case AlertEvent::kImproved:
      alert.confirmations =
          std::max(alert.confirmations + 1,
                   static_cast<int>(number_of(event.details, "confirmations").value_or(0)));
      break;
    case AlertEvent::kAcknowledged:
      if (from != AlertState::kAcknowledged) alert.before = from;
      alert.until = text_of(event.details, "until");
      alert.expect = number_of(event.details, "expect");
      break;
    case AlertEvent::kExpired:
    case AlertEvent::kGrew:
      alert.until.clear();
      alert.expect.reset();
      if (what == AlertEvent::kGrew) alert.confirmations = 0;
      break;
    case AlertEvent::kNotReproduced:
      alert.confirmations = 0;
      break;
    case AlertEvent::kBaseline:
      alert.by_baseline = to == AlertState::kFixed;
      break;
    case AlertEvent::kEnvironmentChange:
    case AlertEvent::kInvalid:
    case AlertEvent::kBack:
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

std::string_view name_of(AlertState state) {
  return kStateNames.at(static_cast<std::size_t>(state));
}

std::optional<AlertState> alert_state_of(std::string_view name) {
  const auto* found = std::find(kStateNames.begin(), kStateNames.end(), name);
  if (found == kStateNames.end()) return std::nullopt;
  return static_cast<AlertState>(found - kStateNames.begin());
}

std::string_view name_of(AlertEvent event) {
  return kEventNames.at(static_cast<std::size_t>(event));
}

std::optional<AlertEvent> alert_event_of(std::string_view name) {
  const auto* found = std::find(kEventNames.begin(), kEventNames.end(), name);
  if (found == kEventNames.end()) return std::nullopt;
  return static_cast<AlertEvent>(found - kEventNames.begin());
}

bool is_open(AlertState state) {
  return state == AlertState::kSuspect || state == AlertState::kReproduced ||
         state == AlertState::kRegression || state == AlertState::kInvalid;
}

std::optional<AlertState> state_after(std::optional<AlertState> state, AlertEvent event,
                                      AlertState before) {
  const NextRow& row = state ? kTable.at(static_cast<std::size_t>(*state)) : kUnopened;
  switch (const Next next = row.at(static_cast<std::size_t>(event))) {
    case kNone:
      return std::nullopt;
    case kSame:
      return state;
    case kBack:
      return before;
    default:
      return static_cast<AlertState>(next);
  }
}

const AlertSeries* Alert::find(std::string_view series_id) const {
  const auto found = std::find_if(series.begin(), series.end(),
                                  [&](const AlertSeries& each) { return each.id == series_id; });
  return found == series.end() ? nullptr : &*found;
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
  const auto what = alert_event_of(event.what);
  if (!what || alert_number(event.alert_id) == 0) return false;
  const auto to =
      state_after(is_new ? std::nullopt : std::optional(alert.state), *what, alert.before);
  if (!to) return false;
  alert.id = event.alert_id;
  apply(alert, *what, *to, event);
  alert.events.push_back(event);
  return true;
}

AlertLog fold_alerts(std::span<const TrackEvent> events) {
  AlertLog log;
  std::map<std::string, Alert, std::less<>> alerts;
  for (const TrackEvent& event : events) {
    if (event.alert_id.empty()) continue;
    Alert& alert = alerts[event.alert_id];
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
