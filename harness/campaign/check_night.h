// SPDX-License-Identifier: Apache-2.0
// What `stepbench track check` and `nightly` do with a history: judge the night, measure again what
// moved, and record what became of the alerts. Prints nothing. Throws Error for what the user can
// mend.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "harness/campaign/confirm_suspects.h"
#include "harness/track/night.h"
#include "harness/track/track_store.h"

namespace stepbench::campaign {

struct CheckRequest {
  std::string host = {};                 // of this machine, as runs record it
  std::vector<std::string> nights = {};  // beginnings of run ids; empty: the newest of this machine
  track::ScreenKind screen = track::ScreenKind::kRobustZ;
  int confirmations = 2;
  std::string good_worker = {};  // --good PATH
  std::string relinked = {};
  std::string results = "results";      // campaigns are folders in it
  std::vector<std::string> allow = {};  // gates of a campaign that only warn
  LockPolicy lock = LockPolicy::kWait;
  bool allow_inconclusive = false;
  bool allow_known = false;  // see NightInput
  std::string who = {};      // user@host, for events
  std::string now_utc = {};  // 2026-01-31T12:00:00Z
};

struct CheckedNight {
  track::Night night = {};
  track::History history = {};                 // what the night was judged by
  std::vector<track::TrackEvent> events = {};  // all that were recorded, with tonight's
  std::vector<ConfirmedNight> measured = {};   // one for each pair of nights that was measured
  std::optional<int> signal = {};              // that interrupted the measurements
};

// Measures suspects again, as confirm_suspects() does; empty: nothing is measured.
using MeasureSuspects = std::function<ConfirmedNight(const ConfirmRequest&)>;

// Only suspects of this machine's own nights are measured. A night without a run is no data.
[[nodiscard]] CheckedNight check_night(const CheckRequest& request, track::TrackStore& store,
                                       const MeasureSuspects& measure);

// What a confirmation said of one series, for events_of().
// `good`: run id of the newest night that is good if it was there.
[[nodiscard]] track::MeasuredSuspect measured_suspect(const ConfirmedSeries& series,
                                                      const std::string& alert,
                                                      const std::string& run,
                                                      const std::string& good);

// "data_wait +2.1 ms, 62 % of the change; aten::copy_ +120 calls/step": what explains a change.
[[nodiscard]] std::string cause_text(const ConfirmedSeries& series);

}  // namespace stepbench::campaign
