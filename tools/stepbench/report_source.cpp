// SPDX-License-Identifier: Apache-2.0
#include "tools/stepbench/report_source.h"

#include <algorithm>
#include <array>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>
#include <ostream>
#include <string_view>
#include <system_error>
#include <utility>

#include "harness/base/error.h"
#include "harness/json/line_error.h"
#include "harness/os/text_file.h"
#include "harness/record/reader.h"
#include "harness/report/export_source.h"
#include "harness/report/read_comparison.h"
#include "harness/text/printable.h"
#include "harness/text/words.h"
#include "harness/trace/foreign_database.h"
#include "tools/stepbench/analyze_input.h"
#include "tools/stepbench/run_folders.h"
#include "tools/stepbench/track/track_options.h"

namespace stepbench::cli {
namespace {

namespace fs = std::filesystem;

enum class Kind : std::uint8_t { kRun, kVerdict, kNight, kHistory, kTrace };

std::string_view words_of(Kind kind) {
  switch (kind) {
    case Kind::kRun:
      return "a run";
    case Kind::kVerdict:
      return "a verdict";
    case Kind::kNight:
      return "a night's verdict";
    case Kind::kHistory:
      return "a history";
    case Kind::kTrace:
      return "a trace";
  }
  return "";
}

std::string begin_of(const fs::path& path) {
  std::array<char, 4096> bytes{};
  std::ifstream file(path, std::ios::binary);
  file.read(bytes.data(), bytes.size());
  return {bytes.data(), static_cast<std::size_t>(file.gcount())};
}

// Results are lines of JSON, packed or plain; what else is a file is a trace, and reading it says
// what is wrong where it is none.
bool is_results_file(const fs::path& path, std::string_view begin) {
  const std::string name = path.filename().string();
  return name.ends_with(".jsonl") || name.ends_with(".jsonl.gz") ||
         begin.find("\"stepbench.result\"") != std::string_view::npos;
}

// SQLite, as a history is; this is where its texts are.
bool is_nsight_export(const std::string& path) {
  std::error_code error;
  return fs::is_regular_file(path, error) && ForeignDatabase(path).has("StringIds");
}

Kind kind_of(const std::string& path) {
  std::error_code error;
  switch (export_source(path)) {
    case ExportSource::kVerdict:
      return Kind::kVerdict;
    case ExportSource::kNight:
      return Kind::kNight;
    case ExportSource::kHistory:
      return is_nsight_export(path) ? Kind::kTrace : Kind::kHistory;
    case ExportSource::kRun:
      break;
  }
  if (!fs::is_regular_file(path, error)) return Kind::kRun;
  return is_results_file(path, begin_of(path)) ? Kind::kRun : Kind::kTrace;
}

Kind kind_of_all(const std::vector<std::string>& sources) {
  const Kind kind = kind_of(sources.front());
  for (const std::string& other : sources) {
    if (kind_of(other) == kind && (sources.size() == 1 || kind == Kind::kRun ||
                                   kind == Kind::kTrace || kind == Kind::kVerdict)) {
      continue;
    }
    const std::string what =
        kind_of(other) == kind
            ? "is " + std::string(words_of(kind)) + ", which has a page of its own"
            : "is " + std::string(words_of(kind_of(other))) + ", and " + sources.front() + " is " +
                  std::string(words_of(kind));
    throw ConfigError("RUN", other + ' ' + what + ": write a report for each");
  }
  return kind;
}

std::string whole_text(const std::string& path) {
  const auto text = read_text(path);
  if (!text) throw ConfigError(path, "cannot be read");
  return *text;
}

ReportContent of_runs(const std::vector<std::string>& sources, DrawOptions& draw) {
  const Results results = read_results(std::vector<fs::path>(sources.begin(), sources.end()));
  draw.show_command = "stepbench show " + join(sources, " ", shell_word);
  return run_content(results, sources, draw);
}

ReportContent of_verdicts(const std::vector<std::string>& sources, const DrawOptions& draw) {
  std::vector<Comparison> comparisons;
  for (const std::string& source : sources) {
    std::vector<Comparison> some = read_comparisons(whole_text(source));
    std::move(some.begin(), some.end(), std::back_inserter(comparisons));
  }
  return verdict_content(comparisons, draw);
}

ReportContent of_history(const std::string& source, const DrawOptions& draw) {
  const bool is_url = source.find(':') != std::string::npos && !fs::exists(source);
  TrackStore store = open_history({.db = is_url ? source : "sqlite:" + source});
  return history_content(store.history(), store.events(), draw);
}

ReportContent of_traces(const std::vector<std::string>& sources, const DrawOptions& draw,
                        const Environment& environment) {
  const AnalyzeOptions options{.paths = sources};
  AnalyzeRequest request(options);
  std::vector<std::unique_ptr<Trace>> traces;
  std::vector<AnalysedTrace> analysed;
  for (const std::string& source : sources) {
    std::optional<Trace> trace = read_one(source, sources.size() > 1, environment);
    if (!trace) continue;
    traces.push_back(std::make_unique<Trace>(std::move(*trace)));
    analysed.push_back(analyse_one(*traces.back(), source, request));
  }
  return analysis_content(analysed, draw);
}

ReportContent content_of(const std::vector<std::string>& sources, DrawOptions& draw,
                         const Environment& environment) {
  switch (kind_of_all(sources)) {
    case Kind::kVerdict:
      return of_verdicts(sources, draw);
    case Kind::kNight:
      return night_content(whole_text(sources.front()), draw);
    case Kind::kHistory:
      return of_history(sources.front(), draw);
    case Kind::kTrace:
      return of_traces(sources, draw, environment);
    case Kind::kRun:
      break;
  }
  return of_runs(sources, draw);
}

}  // namespace

void choose_sources(std::vector<std::string>& sources, std::ostream& err) {
  for (std::string& source : sources) {
    if (kind_of(source) == Kind::kRun) source = choose_run(source, err).string();
  }
}

Report read_report(const std::vector<std::string>& sources, ReportOptions options,
                   const Environment& environment) {
  options.sources = sources;
  try {
    return report_of(content_of(sources, options.draw, environment), options);
  } catch (const LineError& error) {
    throw ConfigError(sources.front(), error.what());
  }
}

}  // namespace stepbench::cli
