// SPDX-License-Identifier: Apache-2.0
// User actions on alerts, series and nights: accept, set a baseline, ignore, assign, annotate. Each
// returns events without author and time; throws ConfigError for invalid input. Pure; any thread.
#pragma once

#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "harness/nights/history.h"
#include "harness/nights/internal/alert.h"
#include "harness/nights/internal/event.h"

namespace stepbench::nights {

// TrackEvent::what without an alert. Details: run, experiment, host; series, until; series.
inline constexpr std::string_view kBaselineEvent = "baseline";
inline constexpr std::string_view kIgnoredEvent = "ignored";
inline constexpr std::string_view kWatchedEvent = "watched";

struct Acceptance {
  std::string reason = {};
  std::string until = {};   // e.g. 2026-03-01, inclusive; empty: permanent
  std::string expect = {};  // accepted change, "+3%"; empty: any size
};

// `today`: e.g. 2026-01-31.
[[nodiscard]] TrackEvent accept_alert(const Alert& alert, const Acceptance& acceptance,
                                      std::string_view today);
// Ends the acceptance and assigns the alert to `person`; empty: unassigned.
[[nodiscard]] std::vector<TrackEvent> reopen_alert(const Alert& alert, const std::string& person,
                                                   const std::string& reason);

// Makes the next night's program the baseline for its experiment on its machine. Closes the
// experiment's alerts that began up to that run.
[[nodiscard]] std::vector<TrackEvent> set_baseline(const TrackedRun& run, const AlertLog& log,
                                                   std::span<const TrackedRun> runs,
                                                   const std::string& reason);

[[nodiscard]] TrackEvent ignore_series(const TrackedSeries& series, const std::string& reason,
                                       const std::string& until, std::string_view today);
[[nodiscard]] TrackEvent watch_series(const TrackedSeries& series, const std::string& reason);
// Ids of series that are not judged on that day.
[[nodiscard]] std::set<std::string, std::less<>> ignored_series(std::span<const TrackEvent> events,
                                                                std::string_view today);

// Adds a note to an alert or a night. Throws ConfigError for empty text.
[[nodiscard]] TrackEvent note_alert(const Alert& alert, const std::string& words);
[[nodiscard]] TrackEvent note_run(const TrackedRun& run, const std::string& words);
[[nodiscard]] TrackEvent assign_alert(const Alert& alert, const std::string& to,
                                      const std::string& reason);

// Parses "+3%", "3 %", "-0.5%" as a share.
[[nodiscard]] std::optional<double> parse_change(std::string_view text);

// Returns the run given by id, id prefix or folder. Throws ConfigError.
[[nodiscard]] const TrackedRun& resolve_run(std::string_view text, std::span<const TrackedRun> runs,
                                            const std::string& where);

// The runs of a night by id: those that `wanted` names, else tonight's of `host`. Throws
// ConfigError at --night for runs of two machines and for one that is not judged.
[[nodiscard]] std::vector<std::string> chosen_night(const std::vector<std::string>& wanted,
                                                    const std::vector<TrackedRun>& runs,
                                                    const std::string& host,
                                                    const std::string& now_utc);
// Why that is empty, and what to do.
[[nodiscard]] std::string no_run_words(const std::vector<TrackedRun>& runs,
                                       const std::string& host);

// Returns whether the text has the form of an alert's id: "A17" or "a17".
[[nodiscard]] bool is_alert_id(std::string_view text);
// The alert with that id ("A17", also "17" or "a17"). Throws ConfigError naming the nearest.
[[nodiscard]] const Alert& resolve_alert(const std::string& id, const AlertLog& log);

}  // namespace stepbench::nights
