// SPDX-License-Identifier: Apache-2.0
// Options shared by the subcommands of `track`: the history to work on.
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

// Returns the option for the history.
CommandOption& add_history(Command& command, HistoryFlags& flags);

// Author of history events: user@host unless --who is given.
struct AuthorFlag {
  std::string who = {};
};
void add_author_flag(Command& command, AuthorFlag& flag);
[[nodiscard]] std::string author(const AuthorFlag& flag, const Environment& environment);

// `store` must outlive the result.
[[nodiscard]] report::JudgedNights judged_nights(track::TrackStore& store);

// The default history for nights measured into this folder; --db overrides it.
[[nodiscard]] std::string default_history(const std::string& results);

// `make`: creates the history if it does not exist; otherwise a missing one is an error.
[[nodiscard]] track::TrackStore open_history(const HistoryFlags& flags, bool make = false);

// Options with which a command line refers to the same history: "", or " --db URL".
[[nodiscard]] std::string history_words(const HistoryFlags& flags);

}  // namespace stepbench::cli
