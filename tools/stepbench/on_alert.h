// SPDX-License-Identifier: Apache-2.0
// Tells people of alerts by a command of theirs.
#pragma once

#include <chrono>
#include <iosfwd>
#include <string>
#include <vector>

#include "harness/track/track_store.h"

namespace stepbench::cli {

// Notifications that an earlier night left pending are sent up to this age.
inline constexpr std::chrono::hours kTellWithin{72};
inline constexpr std::chrono::seconds kTellLimit{60};

struct AlertNotifier {
  std::string command = {};
  std::string who = {};            // user@host
  std::string host = {};           // whose alerts are told
  std::string history_words = {};  // what a command needs to find the history: " --db URL"
};

// Starts `sh -c COMMAND` once for each alert that people have to be told of (see
// harness/nights/notices.h), with alert_json() on its standard input. That it is told is recorded
// in `store` first; one that fails or takes longer than kTellLimit is named on `err` and tried
// again by the next night.
void notify_alerts(track::TrackStore& store, const AlertNotifier& notifier,
                   std::chrono::system_clock::time_point now, std::ostream& err);

// The same command for a night that measured nothing, or not all of it: the object
// `stepbench.night_failed` with `text` (a sentence), `host`, `exit_code` and `notes`.
void notify_failed_night(const AlertNotifier& notifier, int exit_code,
                         const std::vector<std::string>& notes, std::ostream& err);

}  // namespace stepbench::cli
