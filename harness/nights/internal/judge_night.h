// SPDX-License-Identifier: Apache-2.0
// Judges a night: each series, which of them share an alert, and when an alert is fixed. Pure; any
// thread.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "harness/nights/history.h"
#include "harness/nights/internal/pairs.h"
#include "harness/nights/internal/state.h"
#include "harness/nights/night.h"

namespace stepbench::nights {

struct NightInput {
  const History& history;                   // including tonight's points
  std::vector<std::string> tonight = {};    // run ids, one per experiment
  std::span<const NightPairs> pairs = {};   // for those runs; a run without pairs has only values
  std::span<const TrackEvent> events = {};  // all events about alerts and user actions
  bool rejudging =
      false;  // rejudging a past night: changes without an event are not reported again
  std::string now_utc = {};
  ExitRules exit = {};
};
struct JudgedNight {
  Night night = {};
  SeriesStates states = {};             // after the night
  std::vector<TrackEvent> events = {};  // new events; the caller sets `at_utc` and `who`
};
// `states`: before tonight, of this host and these experiments; a series without one begins. The
// caller provides the transaction: see night_store.h.
[[nodiscard]] JudgedNight judge_night(const NightInput& input, SeriesStates states);

}  // namespace stepbench::nights
