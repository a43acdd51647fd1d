// SPDX-License-Identifier: Apache-2.0
// Which runs are meant: by name, label and age. Pure; any thread.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <vector>

#include "harness/runs/run_summary.h"

namespace stepbench::runs {

using Moment = std::chrono::system_clock::time_point;

struct RunFilter {
  std::string name = {};                 // a pattern of a shell: *, ?, [a-z]; empty: all
  std::vector<std::string> labels = {};  // "branch=main", or "branch": any value; all must hold
  std::optional<Moment> since = {};      // begun at this time or later
};

// By the experiment's name, the run's id or its folder's name. A run without a readable header has
// neither label nor time: it passes only a filter that asks for none.
[[nodiscard]] bool passes(const RunSummary& run, const RunFilter& filter);

// When the run began; nullopt where its header does not say.
[[nodiscard]] std::optional<Moment> begun(const RunSummary& run);

// "2026-01-31", "2026-01-31 12:00" (UTC), or an age, "7d". Throws ConfigError, which names `flag`.
[[nodiscard]] Moment parse_since(const std::string& flag, const std::string& text, Moment now);

}  // namespace stepbench::runs
