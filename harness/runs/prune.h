// SPDX-License-Identifier: Apache-2.0
// Deletes unneeded runs. Any thread; only remove_run() deletes.
#pragma once

#include <chrono>
#include <cstddef>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "harness/runs/run_summary.h"

namespace stepbench::runs {

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

}  // namespace stepbench::runs
