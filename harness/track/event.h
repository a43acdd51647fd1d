// SPDX-License-Identifier: Apache-2.0
// A fact that no result file holds: what was measured beside tonight's launches, told, or said by a
// person. The alerts and states of a history follow from its events alone, so that a database can
// be built anew from result files and the file of events. Plain data; any thread.
#pragma once

#include <string>

#include "harness/base/value.h"
#include "harness/track/history.h"

namespace stepbench::track {

struct TrackEvent {
  std::string at_utc = {};
  std::string who = {};       // user@host
  std::string what = {};      // nights/alert.h, pairs.h, acts.h and merged_cases.h have the names
  std::string alert_id = {};  // empty: of no alert (a baseline, an ignored series)
  std::string from_state = {};
  std::string to_state = {};
  std::string reason = {};
  Fields details = {};
  bool operator==(const TrackEvent&) const = default;
};

// In which night it was said; all empty where a person said it.
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
