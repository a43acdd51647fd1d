// SPDX-License-Identifier: Apache-2.0
// The file of events beside a history: what people and confirmations said, which no result file
// holds. One line of JSON each, only ever appended; a history that was rebuilt reads them back. Any
// thread; processes on one machine may append at once.
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "harness/track/event.h"

namespace stepbench::track {

struct RecordedEvent {
  std::int64_t seq = 0;  // the order in which they were recorded
  TrackEvent event = {};
};

// A digest of all of it: the same event is taken in once.
[[nodiscard]] std::string event_id(const RecordedEvent& recorded);

// How far a file is known: so many bytes, with a digest of the last ones.
struct KnownEvents {
  std::int64_t bytes = 0;
  std::string tail = {};
  bool operator==(const KnownEvents&) const = default;
};

// On the disk when this returns. What a process that died left of a last line is cut off. Gives how
// far the file is known to who knew it as far as `known`: that, where another program wrote
// between. Throws ConfigError where it cannot be written, or another program holds its lock for
// `lock_limit`.
KnownEvents append_events(const std::filesystem::path& file, std::span<const RecordedEvent> events,
                          KnownEvents known = {},
                          std::chrono::milliseconds lock_limit = std::chrono::seconds(30));

// What stands behind `known`, or all where that is no beginning of the file, and brings `known`
// forward. None where there is no such file. A last line without its end is no event yet. Throws
// ConfigError naming file and line for one that cannot be read.
[[nodiscard]] std::vector<RecordedEvent> read_events(const std::filesystem::path& file,
                                                     KnownEvents& known);

}  // namespace stepbench::track
