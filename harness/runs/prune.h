// SPDX-License-Identifier: Apache-2.0
// Deletes runs that are no longer wanted. Any thread; nothing is deleted but by remove_run().
#pragma once

#include <chrono>
#include <cstddef>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "harness/runs/run_filter.h"
#include "harness/runs/run_summary.h"

namespace stepbench::runs {

// A run with this label is never deleted, whatever its value.
inline constexpr const char* kKeepLabel = "keep";

struct PruneRequest {
  RunFilter filter = {};
  std::optional<std::size_t> keep = {};                 // so many of the newest stay
  std::optional<std::chrono::seconds> older_than = {};  // only runs begun longer ago
  Moment now = {};
};

struct KeptRun {
  RunSummary run;
  std::string reason;  // "is running": behind its name it makes a sentence
};

struct PrunePlan {
  std::vector<RunSummary> doomed = {};
  std::vector<KeptRun> kept = {};  // asked for, but protected
};

// `runs`: the newest first. Protected are runs that are running, labelled keep, unreadable, links,
// and those whose folder holds something that is not a run's: somebody put it there.
[[nodiscard]] PrunePlan plan_prune(std::span<const RunSummary> runs, const PruneRequest& request);

// Deletes the folder with all in it; symbolic links in it are not followed. It is renamed first, so
// that a run is there whole or not at all. Throws Error when it is running by now or cannot be
// deleted.
void remove_run(const std::filesystem::path& folder);

// What a remove_run() that was killed has left behind in `results`.
void remove_leftovers(const std::filesystem::path& results);

}  // namespace stepbench::runs
