// SPDX-License-Identifier: Apache-2.0
// Notifies people of alerts by a user-defined command.
#pragma once

#include <chrono>
#include <iosfwd>
#include <string>
#include <vector>

#include "harness/track/track_store.h"

namespace stepbench::cli {

// Pending notifications of earlier nights are sent up to this age.
inline constexpr std::chrono::hours kMaxNoticeAge{72};
inline constexpr std::chrono::seconds kNotifierTimeout{60};

struct AlertNotifier {
  std::string command = {};
  std::string who = {};            // user@host
  std::string host = {};           // host whose alerts are sent
  std::string history_words = {};  // options with which a command finds the history: " --db URL"
};

// Starts `sh -c COMMAND` once for each notification that is due (see harness/nights/notices.h),
// with alert_json() on its standard input. Records the notification in `store` first. A command
// that fails or exceeds kNotifierTimeout is reported on `err` and retried by the next night.
void notify_alerts(track::TrackStore& store, const AlertNotifier& notifier,
                   std::chrono::system_clock::time_point now, std::ostream& err);

// Runs the same command for a night that failed or is incomplete, with the object
// `stepbench.night_failed`: `text` (a sentence), `host`, `exit_code` and `notes`.
void notify_failed_night(const AlertNotifier& notifier, int exit_code,
                         const std::vector<std::string>& notes, std::ostream& err);

}  // namespace stepbench::cli
