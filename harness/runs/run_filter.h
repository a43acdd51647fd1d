// SPDX-License-Identifier: Apache-2.0
// Selects runs by name, label and age. Pure; any thread.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <vector>

#include "harness/runs/run_summary.h"

namespace stepbench::runs {

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
