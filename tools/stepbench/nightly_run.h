// SPDX-License-Identifier: Apache-2.0
// One night of `stepbench nightly`: measures it, adds it to the history, judges and reports it, and
// runs the user's command for alerts.
#pragma once

#include <chrono>
#include <iosfwd>
#include <string>
#include <vector>

#include "harness/campaign/run_request.h"
#include "harness/track/track_store.h"
#include "tools/stepbench/command_line.h"
#include "tools/stepbench/options.h"
#include "tools/stepbench/track/track_options.h"

namespace stepbench::cli {

// Notification of alerts by a user-defined command.

// Pending notifications of earlier nights are sent up to this age.
inline constexpr std::chrono::hours kMaxNoticeAge{72};
inline constexpr std::chrono::seconds kNotifierTimeout{60};

struct AlertNotifier {
  std::string command = {};
  std::string who = {};            // user@host
  std::string host = {};           // host whose alerts are sent
  std::string history_words = {};  // options with which a command finds the history: " --db URL"
};

// Starts `sh -c COMMAND` once for each notification that is due (see harness/nights/alert.h),
// with alert_json() on its standard input. Records the notification in `store` first. A command
// that fails or exceeds kNotifierTimeout is reported on `err` and retried by the next night.
void notify_alerts(track::TrackStore& store, const AlertNotifier& notifier,
                   std::chrono::system_clock::time_point now, std::ostream& err);

// Runs the same command for a night that failed or is incomplete, with the object
// `stepbench.night_failed`: `text` (a sentence), `host`, `exit_code` and `notes`.
void notify_failed_night(const AlertNotifier& notifier, int exit_code,
                         const std::vector<std::string>& notes, std::ostream& err);

struct NightlyOptions {
  std::vector<std::string> files = {};
  campaign::RunRequest run = {};  // common to all experiments
  HistoryFlags history = {};
  CheckOptions check = {};
  std::string keep_worker = {};  // empty: see keep_folder()
  bool keep_no_worker = false;
  std::string on_alert = {};
  std::string expect_by = {};  // only check that the night exists; measures nothing
  bool fresh = false;
  std::string budget = {};  // "2h"; empty: three times the expected duration
};

// The notifier configured by --on-alert, for this history.
[[nodiscard]] AlertNotifier notifier_of(const NightlyOptions& options,
                                        const Environment& environment);

// Returns the exit status of the night. Throws on failure; results measured by then are kept.
[[nodiscard]] int run_night(const NightlyOptions& options, const Environment& environment);

}  // namespace stepbench::cli
