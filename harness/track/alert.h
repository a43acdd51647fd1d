// SPDX-License-Identifier: Apache-2.0
// The life of a suspicion, from the night in which a series moved until somebody fixes or accepts
// it. The states and what leads from one to another stand as one table in alert.cpp. Pure; any
// thread.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "harness/base/value.h"

namespace stepbench {

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
[[nodiscard]] std::string_view name_of(AlertState state);  // "not-reproduced"
[[nodiscard]] std::optional<AlertState> alert_state_of(std::string_view name);

// A fact that no result file holds. The alerts of a history follow from its events alone, so that a
// database can be built anew from result files and the file of events.
struct TrackEvent {
  std::string at_utc = {};
  std::string who = {};       // user@host
  std::string what = {};      // "suspect", "confirm", "acknowledge", "baseline", "ignore", ...
  std::string alert_id = {};  // empty: of no alert (a baseline, an ignored series)
  std::string from_state = {};
  std::string to_state = {};
  std::string reason = {};
  Fields details = {};  // by `what`: run, series, effect, low, high, p, until, expect
};

// One per night and range of commits, over all series that moved together.
struct Alert {
  std::string id = {};  // "A17"
  AlertState state = AlertState::kSuspect;
  bool worse = true;
  std::string host = {};
  std::string experiment = {};
  std::string opened_run = {};  // run id of the night that opened it
  std::string first_bad = {};   // run ids between which it came
  std::string last_good = {};
  std::vector<std::string> series = {};  // ids
  int confirmations = 0;
  std::string note = {};              // last reason
  std::string until = {};             // of an acknowledgement: 2026-03-01; empty: for good
  std::optional<double> expect = {};  // of an acknowledgement: a change that is accepted, 0.03
  std::vector<TrackEvent> events = {};
};

}  // namespace stepbench
