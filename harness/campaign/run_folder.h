// SPDX-License-Identifier: Apache-2.0
// Folders of runs on disk: creates, lists, selects and deletes them, reads a run without its
// samples, and separates a run's own files from foreign ones, which are never touched. Any thread.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "harness/base/enum_names.h"
#include "harness/base/value.h"
#include "harness/record/result_file.h"

namespace stepbench::campaign {

// Copy of the experiment in the folder of a run that read it from standard input.
inline constexpr const char* kExperimentCopy = "experiment.yaml";

// Written by `ab` at the end, even if nothing could be measured.
inline constexpr const char* kVerdictFile = "verdict.json";

// Creates `results`/`run_id`, with a number appended if that exists. Throws ConfigError.
[[nodiscard]] std::filesystem::path make_run_folder(const std::filesystem::path& results,
                                                    const std::string& run_id);

// Returns all folders in `results`, newest run first: run names begin with the date. Empty if it
// cannot be read.
[[nodiscard]] std::vector<std::filesystem::path> folders_newest_first(
    const std::filesystem::path& results);

[[nodiscard]] std::string run_id_of(const std::filesystem::path& run_folder);

// Throws ConfigError if the --resume folder does not exist. Empty `folder`: no resume.
void check_resume_folder(const std::string& folder);

// Returns the results of the run in `folder` so far; empty for an empty name, and for a run that
// was killed before it completed the first line of its file.
[[nodiscard]] record::Results earlier_results(const std::string& folder);

// Removed with its content on destruction.
class ScratchFolder {
 public:
  explicit ScratchFolder(const std::string& prefix);  // in the folder for temporary files
  ScratchFolder(const ScratchFolder&) = delete;
  ScratchFolder& operator=(const ScratchFolder&) = delete;
  ~ScratchFolder();
  [[nodiscard]] const std::string& path() const { return path_; }

 private:
  std::string path_;
};

// Separates a run's own files from foreign files in its folder. Any thread.

inline constexpr const char* kTraces = "traces";
inline constexpr const char* kCounts = "counts";  // callgrind's output

struct RunFiles {
  std::vector<std::filesystem::path> results = {};  // .jsonl and .jsonl.gz
  std::vector<std::filesystem::path> traces = {};   // .json and .json.gz in traces/
  std::vector<std::filesystem::path> others = {};   // verdict.json, a copy of the experiment
  bool search = false;                              // `bisect` or `tune` folder, with runs
  std::vector<std::filesystem::path> foreign = {};  // everything else: files, folders, links
};

// True for a folder of `bisect` or `tune`.
[[nodiscard]] bool is_search(const std::filesystem::path& folder);

// True if `bisect` is currently running in the folder.
[[nodiscard]] bool is_being_searched(const std::filesystem::path& folder);

// Sorted by name. Throws Error if the folder cannot be read.
[[nodiscard]] RunFiles files_of_run(const std::filesystem::path& folder);

// A run's folder without its samples, and the selection of runs by name, label and age: for lists
// of hundreds of runs. Any thread.

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

// Deletes unneeded runs. Any thread; only remove_run() deletes.

// A run with this label, of any value, is never deleted.
inline constexpr const char* kKeepLabel = "keep";

struct PruneRequest {
  RunFilter filter = {};
  std::optional<std::size_t> keep = {};                 // number of newest runs to keep
  std::optional<std::chrono::seconds> older_than = {};  // only runs that started longer ago
  Moment now = {};
};

struct RetainedRun {
  RunSummary run;
  std::string reason;  // "is running": continues a sentence after the run's name
};

struct PrunePlan {
  std::vector<RunSummary> removable = {};
  std::vector<RetainedRun> retained = {};  // matching, but protected
};

// `runs`: newest first. Protected are runs that are running, labelled keep, unreadable, links, and
// those with foreign files in their folder.
[[nodiscard]] PrunePlan plan_prune(std::span<const RunSummary> runs, const PruneRequest& request);

// Deletes the folder and its contents; does not follow symbolic links in it. Renames it first, so
// that a run exists completely or not at all. Throws Error if it is running by now or cannot be
// deleted.
void remove_run(const std::filesystem::path& folder);

// Deletes the leftovers of a killed remove_run() in `results`.
void remove_leftovers(const std::filesystem::path& results);

}  // namespace stepbench::campaign
