// SPDX-License-Identifier: Apache-2.0
// Which runs the commands below `stepbench runs` are about.
#pragma once

#include <string>
#include <vector>

#include "harness/runs/run_filter.h"
#include "tools/stepbench/command.h"

namespace stepbench::cli {

inline constexpr const char* kWhichRuns = "Which runs";

struct WhichRuns {
  std::string folder = "results";
  std::string name = {};
  std::vector<std::string> labels = {};
};

// Returns the option of the folder.
CommandOption add_which_runs(Command command, WhichRuns& which);
void add_older_than(Command command, std::string& age);
// Throws ConfigError, which names `flag`, for what is no age.
[[nodiscard]] std::chrono::seconds age_option(const std::string& flag, const std::string& text);

// A folder between `runs` and the command belongs behind it: throws ConfigError that says so.
void refuse_folder_before(Command runs, const std::string& command);

// All runs in the folder, the newest first. Throws ConfigError, with what was probably meant, where
// it is no folder.
[[nodiscard]] std::vector<runs::RunSummary> runs_of(const WhichRuns& which);
[[nodiscard]] runs::RunFilter filter_of(const WhichRuns& which);

[[nodiscard]] runs::Moment current_time();

}  // namespace stepbench::cli
