// SPDX-License-Identifier: Apache-2.0
// How a night is judged and shown: options and output that `track check` and `nightly` share.
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
  WhoFlag who = {};
  std::string format = "page";
  std::string verdict_file = {};
  ExportFiles exports = {};
};

void add_check_options(Command& command, CheckOptions& options);

// Where there is no verdict: old files must not be taken for this night's.
void write_no_night(const CheckOptions& options, const std::string& command, int exit_status,
                    const std::string& text);

// With the nights of the series that moved, and the commits of alerts.
[[nodiscard]] report::ShownNight shown_night(nights::StoredNight night, track::TrackStore& store);

// On standard output in the form that was asked for, and into the verdict file.
void show_night(const report::ShownNight& shown, const CheckOptions& options,
                const report::NightView& view, const Environment& environment);

}  // namespace stepbench::cli
