// SPDX-License-Identifier: Apache-2.0
#include "tools/stepbench/report_source.h"

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <memory>
#include <optional>
#include <ostream>
#include <string_view>
#include <system_error>
#include <utility>

#include "harness/base/error.h"
#include "harness/json/line_error.h"
#include "harness/os/text_file.h"
#include "harness/record/reader.h"
#include "harness/report/comparison_json.h"
#include "harness/report/export_formats.h"
#include "harness/report/read_night.h"
#include "harness/text/printable.h"
#include "harness/text/words.h"
#include "harness/trace/foreign_database.h"
#include "tools/stepbench/analyze_input.h"
#include "tools/stepbench/run_folders.h"
#include "tools/stepbench/track/track_options.h"

namespace stepbench::cli {
namespace {

namespace fs = std::filesystem;

// A source that `export` also reads; nullopt: a trace.
using Kind = std::optional<report::ExportSource>;

std::string describe(const Kind& kind) { return kind ? std::string(name_of(*kind)) : "a trace"; }

// True for results: JSON lines, compressed or plain.
bool is_results_file(const fs::path& path, std::string_view begin) {
  const std::string name = path.filename().string();
  return name.ends_with(".jsonl") || name.ends_with(".jsonl.gz") ||
         begin.find("\"stepbench.result\"") != std::string_view::npos;
}

// Nsight exports are SQLite files, as histories are; the table StringIds identifies them.
bool is_nsight_export(const std::string& path) {
  std::error_code error;
  return fs::is_regular_file(path, error) && trace::ForeignDatabase(path).has("StringIds");
}

// True for a folder that contains traces and no output of a run.
bool is_folder_of_traces(const fs::path& path) {
  std::error_code error;
  if (!fs::is_directory(path, error)) return false;
  bool any = false;
  for (const fs::directory_entry& entry : fs::directory_iterator(path, error)) {
    const std::string name = entry.path().filename().string();
    if (entry.is_directory(error) || is_results_file(name, {})) return false;
    any = any || name.ends_with(".json") || name.ends_with(".json.gz");
  }
  return any;
}

Kind kind_of(const std::string& path) {
  const report::ExportSource source = report::export_source(path);
  if (source == report::ExportSource::kRun && is_folder_of_traces(path)) return std::nullopt;
  if (source == report::ExportSource::kHistory && is_nsight_export(path)) return std::nullopt;
  std::error_code error;
  if (source != report::ExportSource::kRun || !fs::is_regular_file(path, error)) return source;
  if (is_results_file(path, os::first_bytes(path, 4096))) return source;
  const fs::path ending = fs::path(path).extension();
  if (ending == ".yaml" || ending == ".yml") {
    throw ConfigError(path,
                      "is an experiment, which a report is made of once it was measured: "
                      "stepbench run " +
                          text::shell_word(path) + " --report report.html");
  }
  return std::nullopt;  // reading it as a trace reports an error if it is not one
}

Kind kind_of_all(const std::vector<std::string>& sources) {
  const Kind kind = kind_of(sources.front());
  if (sources.size() == 1) return kind;
  const bool one_page =
      !kind || kind == report::ExportSource::kRun || kind == report::ExportSource::kVerdict;
  for (const std::string& source : sources) {
    const Kind other = kind_of(source);
    if (other == kind && one_page) continue;
    const std::string what =
        other == kind
            ? "is " + describe(kind) + ", which has a page of its own"
            : "is " + describe(other) + ", and " + sources.front() + " is " + describe(kind);
    throw ConfigError("RUN", source + ' ' + what + ": write a report for each");
  }
  return kind;
}

std::string whole_text(const std::string& path) {
  const auto text = os::read_text(path);
  if (!text) throw ConfigError(path, "cannot be read");
  return *text;
}

report::ReportContent of_runs(const std::vector<std::string>& sources,
                              const report::DrawOptions& draw) {
  return report::run_content(
      record::read_results(std::vector<fs::path>(sources.begin(), sources.end())), sources, draw);
}

report::ReportContent of_verdicts(const std::vector<std::string>& sources,
                                  const report::DrawOptions& draw) {
  std::vector<compare::Comparison> comparisons;
  for (const std::string& source : sources) {
    std::vector<compare::Comparison> some = report::read_comparisons(whole_text(source));
    std::move(some.begin(), some.end(), std::back_inserter(comparisons));
  }
  return report::verdict_content(comparisons, draw);
}

report::ReportContent of_night(const std::string& source) {
  std::string text = whole_text(source);
  const report::ReadNight read = report::read_night(text);
  if (!read.error.empty()) {
    return report::error_content("stepbench track check", read.error, read.shown.night.exit_code);
  }
  return report::night_content(read.shown, read.view, std::move(text));
}

report::ReportContent of_history(const std::string& source) {
  const bool is_url = source.find(':') != std::string::npos && !fs::exists(source);
  track::TrackStore store = open_history({.db = is_url ? source : "sqlite:" + source});
  const track::History history = store.history();
  return report::history_content(history, store.events(), judged_nights(store));
}

report::ReportContent of_traces(const std::vector<std::string>& sources,
                                const report::DrawOptions& draw, const Environment& environment) {
  const AnalyzeOptions options{.paths = sources};
  AnalyzeRequest request(options);
  const std::vector<fs::path> files = traces_of(sources, "");
  const TimeLimit limit = limit_of(options, files.size(), environment);
  std::vector<std::unique_ptr<trace::Trace>> traces;
  std::vector<report::AnalysedTrace> analysed;
  for (const fs::path& file : files) {
    std::optional<trace::Trace> trace = read_one(file, files.size() > 1, environment);
    if (!trace) continue;
    traces.push_back(std::make_unique<trace::Trace>(std::move(*trace)));
    analysed.push_back(analyse_one(*traces.back(), file, request));
  }
  return report::analysis_content(analysed, draw);
}

report::ReportContent content_of(const std::vector<std::string>& sources,
                                 const report::DrawOptions& draw, const Environment& environment) {
  const Kind kind = kind_of_all(sources);
  if (!kind) return of_traces(sources, draw, environment);
  switch (*kind) {
    case report::ExportSource::kVerdict:
      return of_verdicts(sources, draw);
    case report::ExportSource::kNight:
      return of_night(sources.front());
    case report::ExportSource::kHistory:
      return of_history(sources.front());
    case report::ExportSource::kRun:
      break;
  }
  return of_runs(sources, draw);
}

}  // namespace

void choose_sources(std::vector<std::string>& sources, std::ostream& err) {
  for (std::string& source : sources) {
    if (kind_of(source) == report::ExportSource::kRun) source = choose_run(source, err).string();
  }
}

report::Report read_report(const std::vector<std::string>& sources, report::ReportOptions options,
                           const Environment& environment) {
  options.sources = sources;
  try {
    return report::report_of(content_of(sources, options.draw, environment), options);
  } catch (const json::LineError& error) {
    throw ConfigError(sources.front(), error.what());
  }
}

}  // namespace stepbench::cli
