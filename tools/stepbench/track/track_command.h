// SPDX-License-Identifier: Apache-2.0
// `stepbench track`: one file for each of its commands.
#pragma once

#include "tools/stepbench/command.h"

namespace stepbench::cli {

void add_track_acknowledge(CLI::App& track, const Environment& environment, int& exit_code);
void add_track_add(CLI::App& track, const Environment& environment, int& exit_code);
void add_track_assign(CLI::App& track, const Environment& environment, int& exit_code);
void add_track_baseline(CLI::App& track, const Environment& environment, int& exit_code);
void add_track_check(CLI::App& track, const Environment& environment, int& exit_code);
void add_track_confirm(CLI::App& track, const Environment& environment, int& exit_code);
void add_track_export(CLI::App& track, const Environment& environment, int& exit_code);
void add_track_ignore(CLI::App& track, const Environment& environment, int& exit_code);
void add_track_list(CLI::App& track, const Environment& environment, int& exit_code);
void add_track_note(CLI::App& track, const Environment& environment, int& exit_code);
void add_track_prune(CLI::App& track, const Environment& environment, int& exit_code);
void add_track_screen(CLI::App& track, const Environment& environment, int& exit_code);
void add_track_show(CLI::App& track, const Environment& environment, int& exit_code);
void add_track_why_split(CLI::App& track, const Environment& environment, int& exit_code);

}  // namespace stepbench::cli
