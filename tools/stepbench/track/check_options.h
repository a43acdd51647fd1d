// SPDX-License-Identifier: Apache-2.0
// Options and output for judging a night, shared by `track check` and `nightly`.
#pragma once

#include <string>

#include "harness/nights/night_store.h"
#include "harness/report/night_document.h"
#include "tools/stepbench/command.h"
#include "tools/stepbench/export_files.h"
#include "tools/stepbench/track/track_options.h"

namespace stepbench::cli {

struct CheckOptions {
  nights::ExitRules exit = {};
  AuthorFlag who = {};
  std::string format = "page";
  std::string verdict_file = {};
  ExportFiles exports = {};
};

void add_check_options(Command& command, CheckOptions& options);

// For a night without a verdict: replaces old files, which could be mistaken for its result.
void write_no_night(const CheckOptions& options, const std::string& command, int exit_status,
                    const std::string& text);

// Adds the nights of the changed series and the commits of alerts.
[[nodiscard]] report::ShownNight shown_night(nights::StoredNight night, track::TrackStore& store);

// Writes to standard output in the requested format, and to the verdict file.
void show_night(const report::ShownNight& shown, const CheckOptions& options,
                const report::NightView& view, const Environment& environment);

}  // namespace stepbench::cli
