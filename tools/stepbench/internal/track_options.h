// SPDX-License-Identifier: Apache-2.0
// Options that commands of `track` and `nightly` share: the history that they use, and how a night
// is judged and shown.
#pragma once

#include <string>

#include "harness/nights/night_store.h"
#include "harness/report/night.h"
#include "tools/stepbench/command.h"
#include "tools/stepbench/internal/output_files.h"

namespace stepbench::cli {

struct HistoryFlags {
  std::string db = std::string(nights::kDefaultHistory);
  std::string events = {};
};

// Returns the option for the history.
CommandOption& add_history(Command& command, HistoryFlags& flags);

// --who, the author of history events.
void add_author_flag(Command& command, std::string& who);
// user@host for an empty `who`.
[[nodiscard]] std::string author(const std::string& who, const Environment& environment);

// 2026-01-31T12:00:00Z, and its date.
[[nodiscard]] std::string now_utc();
[[nodiscard]] std::string today_utc();

// The default history for nights measured into this folder; --db overrides it.
[[nodiscard]] std::string default_history(const std::string& results);

// `make`: creates the history if it does not exist; otherwise a missing one is an error.
[[nodiscard]] nights::TrackStore open_history(const HistoryFlags& flags, bool make = false);

// Options with which a command line refers to the same history: "", or " --db URL".
[[nodiscard]] std::string history_words(const HistoryFlags& flags);

// Judging a night: options and output, shared by `track check` and `nightly`.

struct CheckOptions {
  nights::ExitRules exit = {};
  std::string who = {};
  Output output = {};
};

void add_check_options(Command& command, CheckOptions& options);

// Adds the nights of the changed series and the commits of alerts.
[[nodiscard]] report::ShownNight shown_night(nights::StoredNight night, nights::TrackStore& store);

// Writes to standard output in the requested format, and to the verdict file.
void show_night(const report::ShownNight& shown, const CheckOptions& options,
                const report::NightView& view, const Environment& environment);

}  // namespace stepbench::cli
