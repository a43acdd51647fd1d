// SPDX-License-Identifier: Apache-2.0
// What a folder of a run says of itself, without its samples: for lists of hundreds of runs. Any
// thread.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "harness/base/enum_names.h"
#include "harness/base/value.h"

namespace stepbench::runs {

// written to JSON by name. unfinished: no program writes it and it has no end, so it was killed.
enum class RunState : std::uint8_t { kComplete, kRunning, kInterrupted, kUnfinished };
constexpr EnumNames<4> names_of(RunState) {
  return {"complete", "running", "interrupted", "unfinished"};
}

struct RunSummary {
  std::filesystem::path folder = {};
  std::string broken = {};  // why it cannot be read; then only `folder` and `bytes` mean anything
  std::string run_id = {};
  std::string name = {};         // of the experiment
  std::string started_utc = {};  // of the first of its files
  std::string kind = "run";      // or ab, bisect, tune
  std::string verdict = {};      // of an A/B campaign: "regression"; empty where it has none yet
  bool smoke = false;
  std::int64_t profiled = 0;  // launches that recorded operations
  std::int64_t wrapped = 0;   // launches under another program
  Fields labels = {};
  std::string host = {};
  std::string git_sha = {};
  std::string git_branch = {};
  bool git_dirty = false;
  std::int64_t cases = 0;  // planned, over all shards
  // Of these, by their worst launch: a case with a failed launch has failed.
  std::int64_t ok = 0;
  std::int64_t failed = 0;
  std::int64_t skipped = 0;
  std::int64_t launches = 0;  // measured, of every pass
  RunState state = RunState::kUnfinished;
  std::uintmax_t bytes = 0;  // of all its files, traces too
};

// Never throws for what lies in the folder: what cannot be read is said in `broken`.
[[nodiscard]] RunSummary summarise_run(const std::filesystem::path& folder);

// Whether a folder's name is one that `run` and `ab` give: <yyyymmdd-hhmmss>-<name>.
[[nodiscard]] bool is_run_name(std::string_view folder_name);
// Whether it has a result file, readable or not.
[[nodiscard]] bool holds_results(const std::filesystem::path& folder);

// The folders in `results` that hold results, and those named like a run that hold none; sorted by
// name. Hidden ones are left out, and so is a symbolic link to another of them. Throws ConfigError
// where `results` is no folder or cannot be read.
[[nodiscard]] std::vector<std::filesystem::path> run_folders(const std::filesystem::path& results);

// All of them, the newest first; broken ones by the time in their names.
[[nodiscard]] std::vector<RunSummary> summarise_runs(const std::filesystem::path& results);

}  // namespace stepbench::runs
