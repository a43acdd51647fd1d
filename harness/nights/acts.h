// SPDX-License-Identifier: Apache-2.0
// What people say of alerts, series and nights: accepted, a new usual, not to be looked at, whose
// it is, what should be known. Each gives the events that say so, without author and time; a
// ConfigError names what is wrong with the words. Pure; any thread.
#pragma once

#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "harness/nights/alert.h"
#include "harness/track/event.h"
#include "harness/track/history.h"

namespace stepbench::nights {

// TrackEvent::what, of no alert; details: run, experiment, host; series, until; series.
inline constexpr std::string_view kBaselineEvent = "baseline";
inline constexpr std::string_view kIgnoredEvent = "ignored";
inline constexpr std::string_view kWatchedEvent = "watched";

struct Acceptance {
  std::string reason = {};
  std::string until = {};   // 2026-03-01, the last day; empty: for good
  std::string expect = {};  // "+3%"; empty: whatever it is
};

// `today`: 2026-01-31.
[[nodiscard]] track::TrackEvent accept_alert(const Alert& alert, const Acceptance& acceptance,
                                             std::string_view today);
// It is accepted no more, and it is that person's to look at; empty: nobody's.
[[nodiscard]] std::vector<track::TrackEvent> reopen_alert(const Alert& alert,
                                                          const std::string& person,
                                                          const std::string& reason);

// The next night's program is the usual for its experiment on its machine. Alerts of it that began
// up to that run are closed.
[[nodiscard]] std::vector<track::TrackEvent> set_baseline(const track::TrackedRun& run,
                                                          const AlertLog& log,
                                                          std::span<const track::TrackedRun> runs,
                                                          const std::string& reason);

[[nodiscard]] track::TrackEvent ignore_series(const track::TrackedSeries& series,
                                              const std::string& reason, const std::string& until,
                                              std::string_view today);
[[nodiscard]] track::TrackEvent watch_series(const track::TrackedSeries& series,
                                             const std::string& reason);
// Ids of series that are not judged on that day.
[[nodiscard]] std::set<std::string, std::less<>> ignored_series(
    std::span<const track::TrackEvent> events, std::string_view today);

// What people should know of an alert, or of a night. Empty words are a ConfigError.
[[nodiscard]] track::TrackEvent note_alert(const Alert& alert, const std::string& words);
[[nodiscard]] track::TrackEvent note_run(const track::TrackedRun& run, const std::string& words);
// Whose it is to look at.
[[nodiscard]] track::TrackEvent assign_alert(const Alert& alert, const std::string& to,
                                             const std::string& reason);

// "+3%", "3 %", "-0.5%" as a share.
[[nodiscard]] std::optional<double> parse_change(std::string_view text);

// The run that `text` names: its id, the beginning of it, or its folder. Throws ConfigError.
[[nodiscard]] const track::TrackedRun& resolve_run(std::string_view text,
                                                   std::span<const track::TrackedRun> runs,
                                                   const std::string& where);

// Whether it has the form of an alert's id: "A17" or "a17".
[[nodiscard]] bool is_alert_id(std::string_view text);
// The alert with that id ("A17", also "17" or "a17"). Throws ConfigError naming the nearest.
[[nodiscard]] const Alert& resolve_alert(const std::string& id, const AlertLog& log);

}  // namespace stepbench::nights
