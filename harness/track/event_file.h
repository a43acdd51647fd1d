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

// On the disk when this returns. What a process that died left of a last line is cut off. Throws
// ConfigError where it cannot be written, or another program holds its lock for `lock_limit`.
void append_events(const std::filesystem::path& file, std::span<const RecordedEvent> events,
                   std::chrono::milliseconds lock_limit = std::chrono::seconds(30));

// None where there is no such file. A last line without its end is no event yet. Throws ConfigError
// naming file and line for one that cannot be read.
[[nodiscard]] std::vector<RecordedEvent> read_events(const std::filesystem::path& file);

}  // namespace stepbench::track
