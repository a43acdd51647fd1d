// SPDX-License-Identifier: Apache-2.0
// Copies of runs to share, with numbers and words of stepbench itself only.
#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "harness/runs/redact_json.h"

namespace stepbench::runs {

struct RedactedRun {
  std::filesystem::path run;
  std::filesystem::path copy;
  std::size_t files = 0;
  std::vector<std::string> left_out = {};  // traces and other files, lines that are damaged
};
struct RedactedRuns {
  std::vector<RedactedRun> runs;
  Tokens tokens;  // of all of them: one text has one token
};

// One run is copied into `output` itself, of several each into a folder below it: "run-1". `output`
// must not exist yet, or be empty. Each copy is read back: it has the same launches with the same
// samples. Throws ConfigError, also for a run that is running or not readable; a half-made copy is
// removed then.
[[nodiscard]] RedactedRuns redact_runs(std::span<const std::filesystem::path> runs,
                                       const std::filesystem::path& output,
                                       const KnownWords& known);

}  // namespace stepbench::runs
