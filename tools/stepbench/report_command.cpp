// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include "harness/base/error.h"
#include "harness/base/exit_status.h"
#include "harness/base/format.h"
#include "harness/json/line_object.h"
#include "harness/os/text_file.h"
#include "harness/record/result_file.h"
#include "harness/report/exports.h"
#include "harness/report/trace_analysis.h"
#include "harness/report/verdicts.h"
#include "harness/text/words.h"
#include "harness/traces/trace_files.h"
#include "tools/stepbench/internal/analyze_input.h"
#include "tools/stepbench/internal/command_line.h"
#include "tools/stepbench/internal/output_files.h"
#include "tools/stepbench/internal/run_folders.h"
#include "tools/stepbench/internal/track_options.h"

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
  if (source == report::ExportSource::kHistory && traces::is_nsight_export(path))
    return std::nullopt;
  std::error_code error;
  if (source != report::ExportSource::kRun || !fs::is_regular_file(path, error)) return source;
  if (is_results_file(path, os::first_bytes(path, 4096))) return source;
  const fs::path ending = fs::path(path).extension();
  if (ending == ".yaml" || ending == ".yml") {
    throw ConfigError(path, formatted("is an experiment, which a report is made of once it was "
                                      "measured: stepbench run {} --report report.html",
                                      text::shell_word(path)));
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
            ? formatted("is {}, which has a page of its own", describe(kind))
            : formatted("is {}, and {} is {}", describe(other), sources.front(), describe(kind));
    throw ConfigError("RUN", formatted("{} {}: write a report for each", source, what));
  }
  return kind;
}

report::ReportContent of_traces(const std::vector<std::string>& sources,
                                const report::DrawOptions& draw, const Environment& environment) {
  report::TraceAnalyser analyser;
  const std::vector<fs::path> files = traces::trace_paths(sources, "");
  const os::CpuLimit limit = limit_of(kTimeLimitS, files.size(), environment);
  std::vector<std::unique_ptr<traces::Trace>> traces;
  std::vector<report::AnalysedTrace> analysed;
  read_each(files, environment, [&](const fs::path& file, auto trace) {
    analysed.push_back(analyser.analyse(*trace, file));
    traces.push_back(std::move(trace));
  });
  return report::analysis_content(analysed, draw);
}

report::ReportContent content_of(const std::vector<std::string>& sources,
                                 const report::DrawOptions& draw, const Environment& environment) {
  const Kind kind = kind_of_all(sources);
  return kind ? report::stored_content(*kind, sources, draw)
              : of_traces(sources, draw, environment);
}

struct ReportArguments {
  std::vector<std::string> sources = {};
  std::string output = {};
  ReportChoices choices = {};
};

// Inside the source if it is a single folder.
std::filesystem::path default_output(const std::vector<std::string>& sources) {
  std::error_code error;
  if (sources.size() == 1 && std::filesystem::is_directory(sources.front(), error)) {
    return std::filesystem::path(sources.front()) / "report.html";
  }
  return "report.html";
}

// Throws ConfigError for unreadable sources and for sources that cannot be combined.
report::Report read_report(const std::vector<std::string>& sources, report::ReportOptions options,
                           const Environment& environment) {
  options.sources = sources;
  try {
    return report::report_of(content_of(sources, options.draw, environment), options);
  } catch (const json::LineError& error) {
    throw ConfigError(sources.front(), error.what());
  }
}

int execute_report(const ReportArguments& arguments, const Environment& environment) {
  std::vector<std::string> sources = arguments.sources;
  if (sources.empty()) sources.emplace_back("results");
  for (std::string& source : sources) {
    if (kind_of(source) == report::ExportSource::kRun) {
      source = choose_run(source, environment.err).string();
    }
  }
  const std::filesystem::path output =
      arguments.output.empty() ? default_output(sources) : std::filesystem::path(arguments.output);
  if (arguments.output.empty()) os::check_files({.outputs = {{"--output", output}}});
  const report::ReportOptions options = report_options(arguments.choices, environment);
  const report::Report report = read_report(sources, options, environment);
  write_report_file("--output", output, report, environment.out);
  return report.measured ? kExitOk : kExitNothingMeasured;
}

void add_choices(Command& command, ReportChoices& choices) {
  constexpr std::int64_t kMaxPoints = 10'000'000;
  command.option(kOutputOptions, "--title TITLE", choices.title,
                 "Heading of the page; default: the run's name");
  command
      .option(kOutputOptions, "--section NAME[,NAME]", choices.sections,
              "Only these sections, comma-separated: overview, sweep, anatomy, ...")
      .comma_separated();
  command
      .option(kOutputOptions, "--points N", choices.points,
              "At most so many steps are drawn in a chart; the extremes among them")
      .with_default()
      .whole_number(100, kMaxPoints);
  command.flag(kOutputOptions, "--compact", choices.compact,
               "A smaller file: scripts and data packed");
  add_plotly(command, choices.plotly);
}

}  // namespace

void add_report(Command& command) {
  ReportArguments& arguments = command.calls(execute_report);
  command.argument("RUN", arguments.sources,
                   "Runs as `show` takes them; or a verdict.json, a night's verdict, a history (a "
                   "file, sqlite:FILE or postgresql://...), or traces; default: results",
                   "RUN");
  command
      .option(kOutputOptions, "--output FILE", arguments.output,
              "Write to this file; default: report.html in the run's folder, else here")
      .common();
  add_choices(command, arguments.choices);
}

}  // namespace stepbench::cli
