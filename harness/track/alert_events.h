// SPDX-License-Identifier: Apache-2.0
// What the events of a history say, as types: the names under which it is written into
// TrackEvent::details are known here alone. Pure; any thread.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "harness/base/value.h"
#include "harness/track/history.h"
#include "harness/track/life_cycle.h"
#include "harness/track/told_rule.h"

namespace stepbench::track {

// A fact that no result file holds. The alerts of a history follow from its events alone, so that a
// database can be built anew from result files and the file of events.
//
// `what`: the name of an AlertEvent, or one of these, which change no state:
//   measured   of an alert: one of its series was measured again
//   noted      of an alert, or of a run (details: run): what people should know, in the reason
//   assigned   of an alert: whose it is; details: to
//   bridged    without an alert: tonight's program of a series was held against the kept one
//   baseline   without an alert: from this run on is the usual; details: run, experiment, host
//   ignored    without an alert: a series is not to be looked at; details: series, until
//   watched    without an alert: it is looked at again; details: series
//   unusable   without an alert: a kept program could not be measured beside a night's; details:
//              series, good (run id)
//   reference  without an alert: a run was measured beside a kept program; see reference.h
//   merged     without an alert: two cases are one; see merged_cases.h
inline constexpr std::string_view kMeasuredEvent = "measured";
inline constexpr std::string_view kNotedEvent = "noted";
inline constexpr std::string_view kAssignedEvent = "assigned";
inline constexpr std::string_view kBridgedEvent = "bridged";
inline constexpr std::string_view kBaselineEvent = "baseline";
inline constexpr std::string_view kIgnoredEvent = "ignored";
inline constexpr std::string_view kWatchedEvent = "watched";
inline constexpr std::string_view kUnusableEvent = "unusable";
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

// In which night it was said; all empty where a person said it.
struct EventNight {
  std::string run = {};
  std::string utc = {};
  std::string host = {};
  std::string experiment = {};
};
[[nodiscard]] EventNight night_of(const TrackedRun& run);
[[nodiscard]] EventNight night_of(const TrackEvent& event);

// kFired: a series that joins.
struct MovedSeries {
  std::string series = {};  // its id
  bool worse = false;
  std::string first_bad = {};  // run ids between which it moved
  std::string last_good = {};
  double usual = 0;  // in the series' unit
  double value = 0;
  double change = 0;  // value / usual - 1
  std::optional<double> score = {};
  std::string against = {};  // run id of the kept program that showed it; empty: the screen did
};

// "measured" and "bridged".
struct MeasuredSeries {
  std::string series = {};
  AlertMeasurement measurement = {};
};

// kUnusableEvent: why is the reason of the event.
struct UnusableProgram {
  std::string series = {};
  std::string good = {};  // run id of the night whose program it is
};

// kAcknowledged.
struct AcceptedChange {
  std::string until = {};             // 2026-03-01; empty: for good
  std::optional<double> expect = {};  // 0.03
};

[[nodiscard]] TrackEvent event_of(AlertEvent what, const std::string& alert,
                                  const EventNight& night, std::string reason);
[[nodiscard]] TrackEvent event_of(const MovedSeries& moved, const std::string& alert,
                                  const EventNight& night, std::string reason);
// `alert` is empty: a bridge.
[[nodiscard]] TrackEvent event_of(const MeasuredSeries& measured, const std::string& alert,
                                  const EventNight& night, std::string reason);
[[nodiscard]] TrackEvent event_of(const UnusableProgram& program, const EventNight& night,
                                  std::string reason);
[[nodiscard]] TrackEvent event_of(const AcceptedChange& accepted, const std::string& alert,
                                  std::string reason);

[[nodiscard]] MovedSeries moved_series(const TrackEvent& event);
[[nodiscard]] MeasuredSeries measured_series(const TrackEvent& event);
[[nodiscard]] UnusableProgram unusable_program(const TrackEvent& event);
[[nodiscard]] AcceptedChange accepted_change(const TrackEvent& event);

// kUnmeasured: whether it still was away from the usual when it expired; a new level begins then.
void set_still_moved(TrackEvent& event, bool moved);
[[nodiscard]] bool still_moved(const TrackEvent& event);

}  // namespace stepbench::track
