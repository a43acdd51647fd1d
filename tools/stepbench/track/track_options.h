// SPDX-License-Identifier: Apache-2.0
// Which history a command of `track` works on: options that they share.
#pragma once

#include <string>

#include "harness/report/history_view.h"
#include "harness/track/track_store.h"
#include "tools/stepbench/command.h"

namespace stepbench::cli {

struct HistoryFlags {
  std::string db = std::string(track::kDefaultHistory);
  std::string events = {};
};

// Returns the option of the history.
CommandOption& add_history(Command& command, HistoryFlags& flags);

// Who says so, for events of the history: user@host, unless --who names somebody.
struct WhoFlag {
  std::string who = {};
};
void add_who(Command& command, WhoFlag& flag);
[[nodiscard]] std::string author(const WhoFlag& flag, const Environment& environment);

// `store` outlives what is returned.
[[nodiscard]] report::JudgedNights judged_nights(track::TrackStore& store);

// The history of nights that are measured into this folder, unless --db names another.
[[nodiscard]] std::string default_history(const std::string& results);

// `make`: a history that is not there yet is begun; else it is an error.
[[nodiscard]] track::TrackStore open_history(const HistoryFlags& flags, bool make = false);

// What a command line needs to mean the same history: "", or " --db URL".
[[nodiscard]] std::string history_words(const HistoryFlags& flags);

}  // namespace stepbench::cli
