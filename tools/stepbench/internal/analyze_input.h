// SPDX-License-Identifier: Apache-2.0
// The input of `stepbench analyze`: the traces in files, folders and runs, the options of their
// analysis, and a limit on its CPU time, since files are untrusted. Throws ConfigError. And its
// form with --diff, in analyze_command.cpp.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "harness/base/option_values.h"
#include "harness/document/render.h"
#include "harness/report/trace_analysis.h"
#include "harness/traces/compare_traces.h"
#include "harness/traces/rules.h"
#include "tools/stepbench/command.h"

namespace stepbench::cli {

// From construction to destruction: after `cpu_s` seconds of CPU time of this process calls `over`
// from its own thread and ends the process with the status of I/O errors. CPU time is independent
// of the load by other programs.
class TimeLimit {
 public:
  TimeLimit(double cpu_s, std::function<void()> over);

 private:
  std::jthread watch_;
};

struct AnalyzeOptions {
  std::vector<std::string> paths = {};
  std::string base = {};
  std::string case_id = {};
  std::optional<int> device = {};
  std::optional<std::int64_t> rank = {};
  std::string steps = {};
  bool from_loading = false;
  std::vector<std::string> thresholds = {};
  bool all = false;
  std::optional<std::size_t> row_limit = {};
  std::string format = "page";
  std::string output = {};
  std::string report = {};
  bool strict = false;
  std::string fail_on = {};
  double time_limit_s = 600;  // of CPU time, per trace

  // Rows per table; fewer on a short page.
  [[nodiscard]] std::size_t rows(bool short_page = false) const {
    return row_limit.value_or(short_page ? 5 : 10);
  }
};

// The options in the form used by the library.
struct AnalyzeRequest {
  explicit AnalyzeRequest(const AnalyzeOptions& options);

  // Options of the case that a trace in a run's folder belongs to, for proposals. Reads the results
  // of each run only once.
  [[nodiscard]] Fields case_options(const traces::Trace& trace, const std::filesystem::path& path);

  traces::AnalysisOptions how = {};
  traces::RuleOptions rules = {};

 private:
  std::map<std::filesystem::path, std::map<std::string, OptionValues, std::less<>>> runs_ = {};
};

// Returns files as they are, a folder's traces sorted by name, and a run's traces from its traces/
// folder.
[[nodiscard]] std::vector<std::filesystem::path> traces_of(const std::vector<std::string>& paths,
                                                           const std::string& case_id);

// A trace that cannot be read, if it is one of several, is reported on the terminal and skipped:
// nullopt.
[[nodiscard]] std::optional<traces::Trace> read_one(const std::filesystem::path& path,
                                                    bool of_several,
                                                    const Environment& environment);

// Starts the time limit for this number of traces; it ends with the returned object.
[[nodiscard]] TimeLimit limit_of(const AnalyzeOptions& options, std::size_t traces,
                                 const Environment& environment);

// Analyses a trace, including findings. The trace must outlive the result. Throws if it lacks the
// requested device or step.
[[nodiscard]] report::AnalysedTrace analyse_one(const traces::Trace& trace,
                                                const std::filesystem::path& path,
                                                AnalyzeRequest& request);

// True if `severity` reaches that of --fail-on; false without that option.
[[nodiscard]] bool fails_on(const AnalyzeOptions& options, Severity severity);

// `stepbench analyze NEW --diff BASE`; the command itself is in the .cpp only.

struct AnalyzeOutput {
  std::string text = {};
  int status = 0;
  std::vector<traces::TraceDiff> diffs = {};  // for the report, if requested
};

// Pairs the traces of both sides by stepbench case, by rank, or by file name up to its time stamp;
// a single trace or case per side is paired with that of the other. Throws ConfigError if there is
// no pair; prints which traces have no counterpart.
[[nodiscard]] AnalyzeOutput diff_pages(const AnalyzeOptions& options,
                                       const document::RenderStyle& style,
                                       const std::vector<std::filesystem::path>& bases,
                                       const std::vector<std::filesystem::path>& news,
                                       const Environment& environment);

}  // namespace stepbench::cli
