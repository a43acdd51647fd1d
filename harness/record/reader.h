// SPDX-License-Identifier: Apache-2.0
// Reads result files and run folders: launches with their samples. Any thread, one call at a time
// per file.
#pragma once

#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "harness/record/rows.h"

namespace stepbench::record {

// Column -> true if it is a phase of the step.
using DeclaredPhases = std::map<std::string, bool, std::less<>>;

struct Launch {
  LaunchRow row;
  std::vector<CycleSamples> samples;   // by cycle, then by first step
  std::vector<ops::OpFrame> ops = {};  // operations recorded by a profiled launch
  int schema_minor = kResultMinor;     // schema of its file
  // Declared columns of its file; null: not declared (before 1.4).
  std::shared_ptr<const DeclaredPhases> phases = {};
  std::size_t run = 0;  // index of its file's run in Results::runs
  // Index of its line among all launch lines: the order of execution, independent of clocks.
  std::size_t place = 0;
};

// Contents of a result file or a run's directory.
struct Results {
  std::vector<RunRow> runs;     // one per file
  std::vector<Metric> columns;  // definitions, merged over the files
  std::vector<WorkerRow> workers;
  // The last committed attempt of each key of a run, in order of first appearance. Files with the
  // same run id belong to one run.
  std::vector<Launch> launches;
  std::vector<StartRow> unfinished;   // started, never committed: the process or the run was killed
  std::optional<EndRow> end;          // last file's end
  bool running = false;               // a program is still writing one of the files
  std::vector<std::string> warnings;  // a truncated last line, a newer minor version, ...
};

// Reads a .jsonl or .jsonl.gz file, or all of a directory. Accepts every 1.x. Throws ConfigError
// with file:line for corrupt, foreign and future-major files; drops a truncated last line with a
// warning.
[[nodiscard]] Results read_results(const std::filesystem::path& path);
// Reads several files or directories as one. Files of one run are joined, as for a resumed run;
// launches of different runs are kept separately.
[[nodiscard]] Results read_results(std::span<const std::filesystem::path> paths);

}  // namespace stepbench::record
