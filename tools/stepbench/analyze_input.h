// SPDX-License-Identifier: Apache-2.0
// What `stepbench analyze` reads: the traces behind files, folders and runs, and how it is to look
// at them. Errors are ConfigErrors.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "harness/analyze/rules.h"
#include "harness/base/option_values.h"
#include "harness/report/analysis_report.h"
#include "tools/stepbench/command.h"
#include "tools/stepbench/time_limit.h"

namespace stepbench::cli {

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
  double time_limit_s = 600;  // of CPU time, for each trace

  // Rows of a table; a short page has fewer.
  [[nodiscard]] std::size_t rows(bool short_page = false) const {
    return row_limit.value_or(short_page ? 5 : 10);
  }
};

// The options as the library takes them.
struct AnalyzeRequest {
  explicit AnalyzeRequest(const AnalyzeOptions& options);

  // Of the case that a trace in the folder of a run is of: what can be proposed for it. The results
  // of a run are read once.
  [[nodiscard]] Fields case_options(const trace::Trace& trace, const std::filesystem::path& path);

  analyze::AnalysisOptions how = {};
  analyze::RuleOptions rules = {};

 private:
  std::map<std::filesystem::path, std::map<std::string, OptionValues, std::less<>>> runs_ = {};
};

// Files as they are; of a folder its traces by name, of a run those below traces/.
[[nodiscard]] std::vector<std::filesystem::path> traces_of(const std::vector<std::string>& paths,
                                                           const std::string& case_id);

// Where it is one of several, a trace that cannot be read is told on the terminal and passed over:
// nullopt.
[[nodiscard]] std::optional<trace::Trace> read_one(const std::filesystem::path& path,
                                                   bool of_several, const Environment& environment);

// Of so many traces, until it ends.
[[nodiscard]] TimeLimit limit_of(const AnalyzeOptions& options, std::size_t traces,
                                 const Environment& environment);

// Analysis and findings. The trace outlives it. Throws where it has no such device or step.
[[nodiscard]] report::AnalysedTrace analyse_one(const trace::Trace& trace,
                                                const std::filesystem::path& path,
                                                AnalyzeRequest& request);

// Is there a finding of at least the severity of --fail-on? False without that option.
[[nodiscard]] bool fails_on(const AnalyzeOptions& options, Severity severity);

}  // namespace stepbench::cli
