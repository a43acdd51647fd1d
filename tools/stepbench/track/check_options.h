// SPDX-License-Identifier: Apache-2.0
// How a night is judged and shown: options and output that `track check` and `nightly` share.
#pragma once

#include <filesystem>
#include <optional>
#include <span>
#include <string>

#include "harness/campaign/check_night.h"
#include "harness/report/night_document.h"
#include "harness/run/interrupts.h"
#include "tools/stepbench/command.h"
#include "tools/stepbench/export_files.h"
#include "tools/stepbench/track/track_options.h"

namespace stepbench::cli {

struct CheckOptions {
  campaign::CheckRequest request = {};  // without host, author and time: see complete_request()
  std::string screen = "robust_z";
  WhoFlag who = {};
  bool confirm = false;  // said so; it is the default
  bool no_confirm = false;
  std::string format = "page";
  std::string verdict_file = {};
  ExportFiles exports = {};
};

void add_check_options(Command command, CheckOptions& options);

// Where there is no verdict: old files must not be taken for this night's.
void write_no_night(const CheckOptions& options, const std::string& command, int exit_status,
                    const std::string& text);

// With this machine's name, who asks, and the time.
[[nodiscard]] campaign::CheckRequest complete_request(const CheckOptions& options,
                                                      const Environment& environment);

[[nodiscard]] report::NightView night_view(const CheckOptions& options,
                                           const HistoryFlags& history);

// Measures suspects as confirm_suspects() does, with lines of progress; empty with --no-confirm.
// `interrupts` is made when measuring begins, and outlives what is returned, as all others do.
[[nodiscard]] campaign::MeasureSuspects measure_suspects(
    const CheckOptions& options, track::TrackStore& store, const Environment& environment,
    bool quiet, std::optional<run::Interrupts>& interrupts);

// On standard output in the form that was asked for, and into the verdict file.
void show_night(const campaign::CheckedNight& checked, const CheckOptions& options,
                const report::NightView& view, const Environment& environment);

}  // namespace stepbench::cli
