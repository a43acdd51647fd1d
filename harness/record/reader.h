// SPDX-License-Identifier: Apache-2.0
// Result files and run folders back as values: launches with their samples. Any thread, one call at
// a time for each file.
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

// Whether a declared column is a phase of the step.
using DeclaredPhases = std::map<std::string, bool, std::less<>>;

struct Launch {
  LaunchRow row;
  std::vector<CycleSamples> samples;   // by cycle, then by first step
  std::vector<ops::OpFrame> ops = {};  // what a profiled launch recorded of operations
  int schema_minor = kResultMinor;     // of its file
  // What its file says of each column that it declares; null: it does not say (before 1.4).
  std::shared_ptr<const DeclaredPhases> phases = {};
  std::size_t run = 0;  // place of its file's run in Results::runs
  // Of its line among those of all launches: the order in which they ran, whatever clocks said.
  std::size_t place = 0;
};

// All that a result file or a run's directory holds.
struct Results {
  std::vector<RunRow> runs;     // one per file
  std::vector<Metric> columns;  // definitions, united over the files
  std::vector<WorkerRow> workers;
  // The last committed attempt of each key of a run, in order of first appearance. Files with one
  // run id are of one run.
  std::vector<Launch> launches;
  std::vector<StartRow> unfinished;   // started, never committed: the process or the run died
  std::optional<EndRow> end;          // of the last file
  bool running = false;               // a program still writes one of the files
  std::vector<std::string> warnings;  // a truncated last line, a newer minor version, ...
};

// Reads a .jsonl or .jsonl.gz file, or all of a directory. Accepts every 1.x. Throws ConfigError
// whose `where` is file:line for corrupt, foreign and future-major files; a truncated last line is
// dropped with a warning.
[[nodiscard]] Results read_results(const std::filesystem::path& path);
// Several files or directories as one. The files of one run are joined, as those of a resumed run
// are; launches of different runs stand beside each other.
[[nodiscard]] Results read_results(std::span<const std::filesystem::path> paths);

}  // namespace stepbench::record
