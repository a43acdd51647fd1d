// SPDX-License-Identifier: Apache-2.0
// Copies of runs to share, without names of hosts and users, paths and values of environment
// variables.
#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "harness/text/redactor.h"

namespace stepbench::runs {

struct RedactedRun {
  std::filesystem::path run;
  std::filesystem::path copy;
  std::size_t files = 0;
  std::vector<std::string> left_out = {};  // files that are not of a run, lines that are damaged
};
struct RedactedRuns {
  std::vector<RedactedRun> runs;
  std::vector<text::Redactor::Replaced> replaced;  // in all of them: one name has one token
};

// One run is copied into `output` itself, of several each into a folder below it with the run's
// name. `output` must not exist yet, or be empty. Each copy is read back: it has the same launches
// with the same samples. Throws ConfigError, also for a run that is running or not readable; a
// half-made copy is removed then.
[[nodiscard]] RedactedRuns redact_runs(std::span<const std::filesystem::path> runs,
                                       const std::filesystem::path& output);

}  // namespace stepbench::runs
