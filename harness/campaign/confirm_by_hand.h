// SPDX-License-Identifier: Apache-2.0
// What `stepbench track confirm` does: measures series that a person names, whatever the screen
// said of them, and records the answer where they belong to an alert. Prints nothing but progress.
// Main thread only.
#pragma once

#include <string>
#include <vector>

#include "harness/campaign/confirm_suspects.h"
#include "harness/track/history.h"
#include "harness/track/track_store.h"

namespace stepbench::campaign {

struct HandRequest {
  std::vector<std::string> series = {};  // ids
  std::string night = {};  // beginning of a run's id; empty: of each series its newest of this host
  std::string good = {};   // a program's path, or the beginning of a run's id; empty: chosen
  // What else is asked for; nights and suspects are filled in.
  ConfirmRequest basis = {};
};

// One per night and last good night. The last good night of a series is that of its open alert, or
// else the newest one before whose program is another build of a clean checkout. `history` holds
// the series. Throws ConfigError for a night that has no value of a series.
[[nodiscard]] std::vector<ConfirmRequest> requests_by_hand(const HandRequest& request,
                                                           const track::History& history,
                                                           const track::AlertLog& alerts);

// Of series that belong to an alert that is not closed, as events. `good`: the run id of the last
// good night, where it has one. Time and author are for the caller to set.
[[nodiscard]] std::vector<track::TrackEvent> events_by_hand(const ConfirmedNight& measured,
                                                            const track::TrackedRun& tonight,
                                                            const std::string& good,
                                                            const track::AlertLog& alerts);

// 1 a regression; 4 nothing that could be judged, or something else than the program changed; 3
// reproduced once, or not measured; 0 not reproduced, or better.
[[nodiscard]] int exit_code_of(const std::vector<ConfirmedNight>& measured);

}  // namespace stepbench::campaign
