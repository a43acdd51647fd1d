// SPDX-License-Identifier: Apache-2.0
// A run's folder without its samples, and the selection of runs by name, label and age: for lists
// of hundreds of runs. Any thread.
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "harness/base/enum_names.h"
#include "harness/base/value.h"

namespace stepbench::runs {

// Written to JSON by name. unfinished: no program is writing it and it has no end: it was killed.
enum class RunState : std::uint8_t { kComplete, kRunning, kInterrupted, kUnfinished };
constexpr EnumNames<4> names_of(RunState) {
  return {"complete", "running", "interrupted", "unfinished"};
}

struct RunSummary {
  std::filesystem::path folder = {};
  std::string broken = {};  // why it is unreadable; only `folder` and `bytes` are then valid
  std::string run_id = {};
  std::string name = {};         // experiment's name
  std::string started_utc = {};  // its first file's
  std::string kind = "run";      // or ab, bisect, tune
  std::string verdict = {};      // A/B campaign's, such as "regression"; empty: none yet
  bool smoke = false;
  std::int64_t profiled = 0;  // launches that recorded operations
  std::int64_t wrapped = 0;   // launches under the user's profiler
  Fields labels = {};
  std::string host = {};
  std::string git_sha = {};
  std::string git_branch = {};
  bool git_dirty = false;
  std::int64_t cases = 0;  // planned, over all shards
  // Cases by their worst launch: a case with a failed launch has failed.
  std::int64_t ok = 0;
  std::int64_t failed = 0;
  std::int64_t skipped = 0;
  std::int64_t launches = 0;  // measured, of every pass
  RunState state = RunState::kUnfinished;
  std::uintmax_t bytes = 0;  // all its files, including traces
};

// Never throws for the folder's contents: unreadable runs have `broken` set.
[[nodiscard]] RunSummary summarise_run(const std::filesystem::path& folder);

// True for names given by `run` and `ab`: <yyyymmdd-hhmmss>-<name>.
[[nodiscard]] bool is_run_name(std::string_view folder_name);
// True if it has a result file, readable or not.
[[nodiscard]] bool holds_results(const std::filesystem::path& folder);

// Folders in `results` that hold results or are named like a run, sorted by name. Excludes hidden
// folders and symbolic links to other listed ones. Throws ConfigError if `results` is not a
// readable folder.
[[nodiscard]] std::vector<std::filesystem::path> run_folders(const std::filesystem::path& results);

// All runs, newest first; broken ones sort by the time in their names.
[[nodiscard]] std::vector<RunSummary> summarise_runs(const std::filesystem::path& results);

using Moment = std::chrono::system_clock::time_point;

struct RunFilter {
  std::string name = {};                 // shell pattern: *, ?, [a-z]; empty: all
  std::vector<std::string> labels = {};  // "branch=main", or "branch": any value; all must match
  std::optional<Moment> since = {};      // started at this time or later
};

// Matches the experiment's name, the run's id or its folder's name. A run without a readable header
// has neither label nor time: it only passes filters without these.
[[nodiscard]] bool passes(const RunSummary& run, const RunFilter& filter);

// Start time of the run; nullopt if its header does not have it.
[[nodiscard]] std::optional<Moment> begun(const RunSummary& run);

// "2026-01-31", "2026-01-31 12:00" (UTC), or an age, "7d". Throws ConfigError naming `flag`.
[[nodiscard]] Moment parse_since(const std::string& flag, const std::string& text, Moment now);

}  // namespace stepbench::runs
