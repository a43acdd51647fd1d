// SPDX-License-Identifier: Apache-2.0
// Measures a night's suspects again, the same night: the last good build against tonight's in
// turns, and what was reproduced once more with both programs at fresh paths. What `track check`,
// `track confirm` and `nightly` call. Prints nothing but progress. Main thread only.
#pragma once

#include <chrono>
#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "harness/base/clock.h"
#include "harness/campaign/context.h"
#include "harness/campaign/device_locks.h"
#include "harness/compare/cause.h"
#include "harness/compare/gates.h"
#include "harness/compare/op_changes.h"
#include "harness/run/interrupts.h"
#include "harness/run/progress.h"
#include "harness/track/alert.h"
#include "harness/track/confirm_rule.h"
#include "harness/track/history.h"
#include "harness/track/track_store.h"

namespace stepbench::campaign {

// A series that moved tonight.
struct Suspect {
  std::string series = {};  // its id
  std::string case_id = {};
  std::string metric = {};  // TrackedSeries::metric: "step_ns", "peak_bytes", "phase.data_wait"
  Direction direction = Direction::kLowerIsBetter;  // of the series: which way is better
  bool higher = true;                               // its value rose; false: it fell
  std::int64_t steps =
      0;  // TrackedPoint::steps of tonight: measured where the experiment says `auto`
  double layout_sd = track::kLayoutSd;  // of its builds
  double margin = track::kTellMargin;   // the change of it that does not matter
  // Confirmed before, by the same two builds: one more makes two.
  int confirmations = 0;
};

// Suspects of one night that have the same last good night. Values only.
struct ConfirmRequest {
  track::TrackedRun tonight = {};
  std::optional<track::TrackedRun> good = {};  // the last good night; nullopt: there is none
  std::string good_worker = {};  // --good PATH; empty: the kept build, or the good night's
  std::string relinked = {};     // tonight's program built anew, for the second confirmation
  std::vector<Suspect> suspects = {};
  int confirmations = 2;  // 1: nothing is measured a second time
  std::size_t pairs = track::kConfirmPairs;
  bool bridge = false;  // a few pairs, judged either way: see bridge.h
  // A campaign for the same question that said something is judged again and not measured again;
  // false: only one that was cut is gone on with.
  bool reuse = true;
  std::string results = "results";  // campaigns are folders in it
  LockPolicy lock = LockPolicy::kWait;
  std::vector<std::string> allow = {};  // gates that only warn
  std::string who = {};                 // user@host, for events
  std::chrono::seconds claim_lasts = std::chrono::hours(24);
};

// A campaign of launches that confirmed, or failed to.
struct ConfirmCampaign {
  std::filesystem::path folder = {};
  int number = 1;  // 2: with both programs at fresh paths, or with the relinked one
  std::string good_worker = {};
  std::string tonight_worker = {};
  bool resumed = false;                   // went on with what an interrupted check had measured
  std::vector<compare::Gate> gates = {};  // of the whole, those that did not pass
};

struct ConfirmedSeries {
  Suspect suspect = {};
  // kRegression: reproduced twice; kReproduced: once. Once is enough for kImprovement.
  // kNotReproduced, kEnvironmentChange; kInvalid: measured, and not to be judged; kSuspect: not
  // measured, stays open.
  track::AlertState state = track::AlertState::kSuspect;
  std::string why = {};     // a sentence; says what to do where there is anything
  bool good_fails = false;  // the good build cannot be measured here, and another one may be
  std::vector<track::ConfirmAnswer> answers = {};   // one per campaign that could be judged
  std::vector<std::filesystem::path> folders = {};  // of the campaigns of `answers`
  std::vector<std::string> builds = {};             // of their programs: "GOOD TONIGHT"
  std::optional<double> good_value = {};  // medians of the last campaign, in the series' unit
  std::optional<double> tonight_value = {};
  std::vector<compare::PhaseChange> cause = {};  // of a changed step: phases
  std::vector<compare::OpChange> ops = {};       // and operations, where launches were profiled
};

struct ConfirmedNight {
  std::vector<ConfirmedSeries> series = {};  // in the order of the suspects
  std::vector<ConfirmCampaign> campaigns = {};
  std::string good_build = {};
  std::string tonight_build = {};
  std::vector<std::string> notes = {};
  std::optional<int> signal = {};  // that interrupted it; all suspects not yet judged stay open
};

// Claims the suspects' cases in `store`, so that no other process measures them, and gives them
// back on every way out. Each campaign's folder is recorded as an event ("campaign", see
// confirm_events.h) before its first launch: after an interruption, or after this process was
// killed, the next call for the same night goes on with it. Takes the device lock as `ab` does.
// Refuses to blame: see ConfirmedSeries::state. Throws Error for what the user can mend at once: a
// path that is no program, a results folder that cannot be written.
[[nodiscard]] ConfirmedNight confirm_suspects(const ConfirmRequest& request,
                                              track::TrackStore& store,
                                              const CampaignContext& context,
                                              run::Progress& progress, run::Interrupts& interrupts,
                                              const Clock& clock);

}  // namespace stepbench::campaign
