// SPDX-License-Identifier: Apache-2.0
// A fact that no result file holds: measurements next to tonight's launches, notifications, user
// actions and confirmations; and the file of events next to a history. Alerts and states follow
// from events alone, so that a database can be rebuilt from result files and this file. Any thread;
// processes on one machine may append to the file concurrently.
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "harness/base/value.h"
#include "harness/nights/history.h"

namespace stepbench::nights {

struct TrackEvent {
  std::string at_utc = {};
  std::string who = {};       // user@host
  std::string what = {};      // names are in nights/alert.h, pairs.h, acts.h and merged_cases.h
  std::string alert_id = {};  // empty: not about an alert (a baseline, an ignored series)
  std::string from_state = {};
  std::string to_state = {};
  std::string reason = {};
  Fields details = {};
  bool operator==(const TrackEvent&) const = default;
};

// The night that an event belongs to; all empty for a user action.
struct EventNight {
  std::string run = {};
  std::string utc = {};
  std::string host = {};
  std::string experiment = {};
  bool operator==(const EventNight&) const = default;
};
[[nodiscard]] EventNight night_of(const TrackedRun& run);
[[nodiscard]] EventNight night_of(const TrackEvent& event);
void set_night(TrackEvent& event, const EventNight& night);

// The event file: one line of JSON each, append-only; read back when a history is rebuilt.

struct RecordedEvent {
  std::int64_t seq = 0;  // order of recording
  TrackEvent event = {};
};

// Digest of the whole event, so that the same event is added only once.
[[nodiscard]] std::string event_id(const RecordedEvent& recorded);

// How far a file has been read: number of bytes and a digest of the last ones.
struct KnownEvents {
  std::int64_t bytes = 0;
  std::string tail = {};
  bool operator==(const KnownEvents&) const = default;
};

// Appends the events; they are on disk when this returns. Truncates an unfinished last line of a
// dead process. Returns the new position for a caller that knew the file up to `known`; returns
// `known` itself if another program wrote in between. Throws ConfigError if the file cannot be
// written or another program holds its lock for `lock_limit`.
KnownEvents append_events(const std::filesystem::path& file, std::span<const RecordedEvent> events,
                          KnownEvents known = {},
                          std::chrono::milliseconds lock_limit = std::chrono::seconds(30));

// Returns the events after `known`, or all if `known` does not match the file, and advances
// `known`. Empty if there is no file. Ignores an unfinished last line. Throws ConfigError naming
// file and line for an invalid one.
[[nodiscard]] std::vector<RecordedEvent> read_events(const std::filesystem::path& file,
                                                     KnownEvents& known);

}  // namespace stepbench::nights
