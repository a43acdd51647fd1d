// SPDX-License-Identifier: Apache-2.0
// A fact that is in no result file: pairs measured in a night, alerts, and user actions. A
// history's alerts and states follow from its events alone, so a database can be rebuilt from
// result files and the event file. Plain data; any thread.
#pragma once

#include <string>

#include "harness/base/value.h"
#include "harness/track/history.h"

namespace stepbench::track {

struct TrackEvent {
  std::string at_utc = {};
  std::string who = {};       // user@host
  std::string what = {};      // names are in nights/alert.h, pairs.h, acts.h and merged_cases.h
  std::string alert_id = {};  // empty: not about an alert (a baseline, an ignored series)
  std::string from_state = {};
  std::string to_state = {};
  std::string reason = {};
  Fields details = {};
  bool operator==(const TrackEvent&) const = default;
};

// The night that an event belongs to; all empty for a user action.
struct EventNight {
  std::string run = {};
  std::string utc = {};
  std::string host = {};
  std::string experiment = {};
  bool operator==(const EventNight&) const = default;
};
[[nodiscard]] EventNight night_of(const TrackedRun& run);
[[nodiscard]] EventNight night_of(const TrackEvent& event);
void set_night(TrackEvent& event, const EventNight& night);

}  // namespace stepbench::track
