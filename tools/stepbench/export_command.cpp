// SPDX-License-Identifier: Apache-2.0
#include <filesystem>
#include <string>
#include <vector>

#include "harness/base/error.h"
#include "harness/base/exit_status.h"
#include "harness/base/format.h"
#include "harness/estimate/case_rows.h"
#include "harness/estimate/columns.h"
#include "harness/json/line_object.h"
#include "harness/record/result_file.h"
#include "harness/report/exports.h"
#include "harness/text/printable.h"
#include "harness/text/words.h"
#include "tools/stepbench/internal/command_line.h"
#include "tools/stepbench/internal/output_files.h"
#include "tools/stepbench/internal/run_folders.h"
#include "workloads/built_in.h"

namespace stepbench::cli {
namespace {

struct ExportRequest {
  std::vector<std::string> sources = {};
  std::string format = {};
  std::string output = {};
  std::string case_id = {};
  bool no_text = false;
  report::ExportOptions options = {};
};

// "  junit (.xml): test reports of GitLab"
std::string formats_text() {
  std::string text;
  for (const report::ExportFormat& format : report::export_formats()) {
    const bool is_first = report::export_format_of_file(format.ending) == &format;
    text += "  " + std::string(format.name);
    if (is_first) text += " (" + std::string(format.ending) + ')';
    text += ": " + std::string(format.use) + '\n';
  }
  return text;
}

const report::ExportFormat& chosen_format(const ExportRequest& arguments) {
  if (!arguments.format.empty()) return *report::export_format(arguments.format);
  if (arguments.output.empty()) {
    throw ConfigError("--format",
                      "is missing: expected one of " +
                          text::join(report::export_formats(), ", ",
                                     [](const report::ExportFormat& each) { return each.name; }));
  }
  const report::ExportFormat* format = report::export_format_of_file(arguments.output);
  if (format != nullptr) return *format;
  throw ConfigError("--output",
                    formatted("unknown file ending of {}; give --format", arguments.output));
}

bool export_runs(const ExportRequest& arguments, const report::ExportFormat& format,
                 const json::TextSink& sink, std::ostream& err) {
  std::vector<std::filesystem::path> paths;
  for (const std::string& source : arguments.sources) paths.push_back(choose_run(source, err));
  record::Results results = record::read_results(paths);
  if (!arguments.case_id.empty()) {
    const auto rows = estimate::case_rows(results);
    estimate::keep_case(results,
                        estimate::find_case(rows, results, arguments.case_id).front().case_id);
  }
  print_warnings(results, err);
  format.of_run(results, arguments.options, sink);
  return has_measured(results);
}

bool export_to(const json::TextSink& sink, const ExportRequest& arguments, std::ostream& err) {
  const report::ExportFormat& format = chosen_format(arguments);
  const std::string& path = arguments.sources.front();
  const report::ExportSource source = report::export_source(path);
  for (const std::string& each : arguments.sources) {
    const report::ExportSource other = report::export_source(each);
    if (arguments.sources.size() == 1 || other == report::ExportSource::kRun) continue;
    throw ConfigError("RUN", formatted("{} is {}; export it alone, only runs can be joined", each,
                                       name_of(other)));
  }
  if (!arguments.case_id.empty() && source != report::ExportSource::kRun) {
    throw ConfigError("--case", formatted("{} is {}: only runs have cases", path, name_of(source)));
  }
  if (arguments.no_text && format.name != "json") {
    throw ConfigError("--no-text",
                      formatted("applies to json, not to {}; give --format json", format.name));
  }
  std::string json;
  const json::TextSink keep = [&](std::string_view piece) { json += piece; };
  try {
    const json::TextSink& into = arguments.no_text ? keep : sink;
    report::Exported exported;
    if (source == report::ExportSource::kRun) {
      exported.measured = export_runs(arguments, format, into, err);
    } else {
      exported = report::export_stored(format, source, path, arguments.options, into);
    }
    if (arguments.no_text) sink(report::json_without_text(json, built_in_catalogue()));
    if (!exported.warning.empty()) err << "warning: " << text::printable(exported.warning) << '\n';
    return exported.measured;
  } catch (const json::LineError& error) {
    throw ConfigError(path, error.what());
  }
}

int execute_export(const ExportRequest& arguments, const Environment& environment) {
  bool measured = false;
  write_output(arguments.output, environment, [&](const json::TextSink& sink) {
    measured = export_to(sink, arguments, environment.err);
  });
  return measured ? kExitOk : kExitNothingMeasured;
}

}  // namespace

void add_export(Command& command) {
  command.footer.insert(
      0, formatted("Formats, their file endings and what reads them:\n{}\n", formats_text()));
  ExportRequest& arguments = command.calls(execute_export);
  command
      .argument("RUN", arguments.sources,
                "Runs as `show` takes them, joined; or one verdict.json, one history (a file, "
                "sqlite:FILE or postgresql://...), or one verdict of a night",
                "RUN")
      .required();
  std::vector<std::string> names;
  for (const report::ExportFormat& format : report::export_formats())
    names.emplace_back(format.name);
  command.option(kOutputOptions, "--format", arguments.format, "Default: by the ending of --output")
      .one_of(names)
      .common();
  command
      .option(kOutputOptions, "--output FILE", arguments.output,
              "Write to this file, replaced as a whole; default: standard output")
      .common();
  command.option(kOutputOptions, "--case ID", arguments.case_id,
                 "Only this case of the runs, by its id or the id's first digits");
  command.flag(kOutputOptions, "--no-text", arguments.no_text,
               "With json: omit everything that may name a person, a machine, a path, a command or "
               "a host, for sharing");
  command
      .option(kOutputOptions, "--max-series N", arguments.options.max_series,
              "With openmetrics: refuse results that make more series")
      .with_default()
      .whole_number(1, 1'000'000'000);
}

}  // namespace stepbench::cli
