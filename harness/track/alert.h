// SPDX-License-Identifier: Apache-2.0
// The life of a suspicion, from the night in which a series moved until somebody fixes or accepts
// it. The states and what leads from one to another stand as one table in alert.cpp. Pure; any
// thread.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "harness/base/value.h"

namespace stepbench::track {

enum class AlertState : std::uint8_t {  // written to disk by name
  kSuspect,                             // the screen fired; not measured again yet
  kNotReproduced,                       // measured again, and it was not there
  kReproduced,                          // confirmed once
  kRegression,                          // confirmed twice
  kImprovement,                         // confirmed, and better
  kEnvironmentChange,                   // something else than the program changed: no blame
  kAcknowledged,                        // somebody accepts it, with a reason
  kFixed,                               // back where it was, or a new baseline
  kInvalid                              // the confirmation could not be judged
};
inline constexpr std::size_t kAlertStates = 9;
[[nodiscard]] std::string_view name_of(AlertState state);  // "not-reproduced"
[[nodiscard]] std::optional<AlertState> alert_state_of(std::string_view name);
// Somebody has to do something: suspect, reproduced, regression, invalid.
[[nodiscard]] bool is_open(AlertState state);

// What happens to an alert: TrackEvent::what, by name.
enum class AlertEvent : std::uint8_t {
  kFired,              // "fired": a series moved; opens the alert, or one more series joins it
  kReproduced,         // "reproduced": measured again, it was there; another measurement is to come
  kConfirmed,          // "confirmed": it was there as many times as were asked for
  kImproved,           // "improved": measured again, and better
  kNotReproduced,      // "not-reproduced"
  kEnvironmentChange,  // "environment-change"
  kInvalid,            // "invalid": measured, but the measurement could not be judged
  kAcknowledged,       // "acknowledged": by a person; details: until, expect
  kExpired,            // "expired": the date of an acknowledgement has passed
  kGrew,               // "grew": beyond the change that was accepted
  kBack,               // "back": the series is where it was before
  kBaseline            // "baseline": somebody declared a newer run to be the usual
};
inline constexpr std::size_t kAlertEvents = 12;
[[nodiscard]] std::string_view name_of(AlertEvent event);
[[nodiscard]] std::optional<AlertEvent> alert_event_of(std::string_view name);

// The table. `state`: nothing before the alert is opened. `before`: the state that an
// acknowledgement ended. Nothing: this cannot happen in that state.
[[nodiscard]] std::optional<AlertState> state_after(std::optional<AlertState> state,
                                                    AlertEvent event, AlertState before);

// A fact that no result file holds. The alerts of a history follow from its events alone, so that a
// database can be built anew from result files and the file of events.
//
// `what`: the name of an AlertEvent, or one of these, which change no state:
//   measured   of an alert: one of its series was measured again
//   baseline   without an alert: from this run on is the usual; details: run, experiment, host
//   ignored    without an alert: a series is not to be looked at; details: series, until
//   watched    without an alert: it is looked at again; details: series
// Details of events that `check` makes: night (run id), night_utc; of `fired`: series, experiment,
// host, worse, first_bad, last_good (run ids), usual, value, change, score, creep (true: found by
// creep.h); of `measured`: series,
// reproduced, change, low, high, p, pairs, campaign (its folder), cause (a sentence).
inline constexpr std::string_view kMeasuredEvent = "measured";
inline constexpr std::string_view kBaselineEvent = "baseline";
inline constexpr std::string_view kIgnoredEvent = "ignored";
inline constexpr std::string_view kWatchedEvent = "watched";
struct TrackEvent {
  std::string at_utc = {};
  std::string who = {};       // user@host
  std::string what = {};      // see above
  std::string alert_id = {};  // empty: of no alert (a baseline, an ignored series)
  std::string from_state = {};
  std::string to_state = {};
  std::string reason = {};
  Fields details = {};
};

// One measurement of a suspicion.
struct AlertMeasurement {
  bool reproduced = false;
  double change = 0;  // tonight / good - 1, with its one-sided 95 % bounds
  double low = 0;
  double high = 0;
  double p = 1;
  std::int64_t pairs = 0;
  std::string night = {};     // run id
  std::string campaign = {};  // folder of its results
  std::string cause = {};     // "data_wait +2.1 ms; aten::copy_ +120 calls/step"
};

// A series of an alert, as it was when it joined.
struct AlertSeries {
  std::string id = {};
  std::string experiment = {};
  std::string first_bad = {};  // run ids between which it moved
  std::string last_good = {};
  double usual = 0;  // in the series' unit
  double value = 0;
  double change = 0;  // value / usual - 1
  double score = 0;
  std::vector<AlertMeasurement> measured = {};  // oldest first

  // Unless it was measured again and was not there.
  [[nodiscard]] bool holds() const { return measured.empty() || measured.back().reproduced; }
};

// One per night and range of commits, over all series that moved together.
struct Alert {
  std::string id = {};  // "A17"
  AlertState state = AlertState::kSuspect;
  bool worse = true;
  std::string host = {};
  std::string experiment = {};  // of the series that opened it
  std::string opened_run = {};  // run id of the night that opened it
  std::string opened_utc = {};  // when that night was measured
  std::string first_bad = {};   // run ids between which it came
  std::string last_good = {};
  std::vector<AlertSeries> series = {};
  int confirmations = 0;
  std::string note = {};   // last reason
  std::string until = {};  // of an acknowledgement: 2026-03-01; empty: for good
  // Of an acknowledgement: a change that is accepted, 0.03.
  std::optional<double> expect = {};
  AlertState before = AlertState::kSuspect;  // the state that an acknowledgement ended
  bool by_baseline = false;                  // fixed so
  std::vector<TrackEvent> events = {};

  [[nodiscard]] const AlertSeries* find(std::string_view series_id) const;
};

struct AlertLog {
  std::vector<Alert> alerts = {};  // by number
  // Sentences: events that cannot have happened, as in a file that was edited. They are left out.
  std::vector<std::string> left_out = {};

  [[nodiscard]] const Alert* find(std::string_view id) const;
};

// One event more; of an alert without events the one that opens it. False: it cannot happen now,
// and the alert stays as it was.
bool apply_event(Alert& alert, const TrackEvent& event);

// In the order in which they were recorded.
[[nodiscard]] AlertLog fold_alerts(std::span<const TrackEvent> events);

// Adds events that are about to be recorded, and writes into each from which state to which it led.
void add_events(AlertLog& log, std::span<TrackEvent> events);

// "A18": one more than the highest number in use.
[[nodiscard]] std::string next_alert_id(std::span<const TrackEvent> events);

}  // namespace stepbench::track
