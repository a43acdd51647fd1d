// SPDX-License-Identifier: Apache-2.0
#include "tools/stepbench/output_files.h"

#include <ostream>
#include <string_view>
#include <system_error>

#include "harness/base/error.h"
#include "harness/document/render.h"
#include "harness/os/output_file.h"
#include "harness/report/checks.h"
#include "harness/report/comparison_document.h"
#include "harness/report/comparison_json.h"
#include "harness/report/exports.h"
#include "harness/report/html/report.h"
#include "harness/text/numbers.h"
#include "harness/text/printable.h"
#include "harness/text/words.h"
#include "tools/stepbench/command.h"
#include "tools/stepbench/options.h"

namespace stepbench::cli {
namespace {

constexpr const char* kJunit = "--junit";
constexpr const char* kOpenMetrics = "--openmetrics";
constexpr const char* kReport = "--report";

// `text_of` creates the text in a format.
void write_files(const ExportFiles& files,
                 const std::function<std::string(const report::ExportFormat&)>& text_of) {
  const auto write = [&](const char* flag, const std::string& file) {
    // The flag equals the format's name.
    const report::ExportFormat* format = report::export_format(std::string_view(flag).substr(2));
    if (!file.empty()) os::write_output_file(flag, file, text_of(*format));
  };
  write(kJunit, files.junit);
  write(kOpenMetrics, files.openmetrics);
}

}  // namespace

void add_export_files(Command& command, ExportFiles& files) {
  const auto add = [&](const char* flag, std::string& file, const std::string& doc) {
    const report::ExportFormat* format = report::export_format(std::string_view(flag).substr(2));
    command.option(kOutputOptions, std::string(flag) + " FILE", file,
                   doc + std::string(format->use));
  };
  add(kJunit, files.junit, "Also write a JUnit file here: ");
  add(kOpenMetrics, files.openmetrics, "Also write gauges here: ");
  add_report_file(command, files.report);
}

void check_export_files(const ExportFiles& files, const Environment& environment) {
  if (!files.report.empty()) (void)report_options({}, environment);
}

void write_export_files(const ExportFiles& files, const record::Results& results) {
  write_files(files, [&](const report::ExportFormat& format) {
    return text::whole_text([&](const text::TextSink& sink) { format.of_run(results, {}, sink); });
  });
}

void write_export_files(const ExportFiles& files,
                        std::span<const compare::Comparison> comparisons) {
  write_files(files, [&](const report::ExportFormat& format) {
    return format.of_verdict(comparisons, {});
  });
}

void write_night_export_files(const ExportFiles& files, const std::string& night_json) {
  write_files(files,
              [&](const report::ExportFormat& format) { return format.of_night(night_json, {}); });
}

void write_report(const ExportFiles& files, report::ReportContent content,
                  const std::vector<std::string>& sources, const Environment& environment) {
  if (files.report.empty()) return;
  report::ReportOptions options = report_options({}, environment);
  options.sources = sources;
  write_report_file(kReport, files.report, report::report_of(std::move(content), options),
                    environment.err);
}

void write_report(const ExportFiles& files, const record::Results& results,
                  const std::vector<std::string>& sources, const Environment& environment) {
  if (files.report.empty()) return;
  write_report(files, report::run_content(results, sources, {}), sources, environment);
}

void write_report(const ExportFiles& files, std::span<const compare::Comparison> comparisons,
                  const Environment& environment) {
  if (files.report.empty()) return;
  write_report(files, report::verdict_content(comparisons, {}), {}, environment);
}

void write_error_export_files(const ExportFiles& files, const std::string& command,
                              const std::string& message, int exit_code) {
  os::write_output_file(kJunit, files.junit,
                        report::junit_xml(report::checks_of_error(command, message)));
  os::write_output_file(kOpenMetrics, files.openmetrics, report::openmetrics_of_error(exit_code));
  if (!files.report.empty()) {
    os::write_output_file(
        kReport, files.report,
        report::report_of(report::error_content(command, message, exit_code), {}).html);
  }
}

namespace {

constexpr const char* kNoPlotly = "none";
constexpr std::int64_t kMaxPoints = 10'000'000;

// "6.1 MB": file size in decimal units, as mail programs show it.
std::string size_text(std::size_t bytes) {
  return bytes < 100'000 ? text::significant(static_cast<double>(bytes) / 1e3, 2) + " kB"
                         : text::significant(static_cast<double>(bytes) / 1e6, 2) + " MB";
}

}  // namespace

void add_report_file(Command& command, std::string& file) {
  command
      .option(kOutputOptions, "--report FILE", file,
              "Also write a page with charts here, which any browser opens; see `report`")
      .common();
}

void add_report_choices(Command& command, ReportChoices& choices) {
  command.option(kOutputOptions, "--title TITLE", choices.title,
                 "Heading of the page; default: the run's name");
  command
      .option(kOutputOptions, "--section NAME[,NAME]", choices.sections,
              "Only these sections, comma-separated: overview, sweep, anatomy, ...")
      .comma_separated()
      .one_value_each_time();
  command
      .option(kOutputOptions, "--points N", choices.points,
              "At most so many steps are drawn in a chart; the extremes among them")
      .with_default()
      .whole_number(100, kMaxPoints);
  command.flag(kOutputOptions, "--compact", choices.compact,
               "A smaller file: scripts and data packed");
  add_plotly(command, choices.plotly);
}

void add_plotly(Command& command, std::string& plotly) {
  command.option(kOutputOptions, "--plotly FILE|none", plotly,
                 "The script that draws the charts; none: tables alone; default: beside stepbench");
}

report::ReportOptions report_options(const ReportChoices& choices, const Environment& environment) {
  report::ReportOptions options{.title = choices.title, .sections = choices.sections};
  options.draw.points = choices.points;
  options.compact = choices.compact;
  if (choices.plotly != kNoPlotly) {
    options.plotly = report::read_plotly(choices.plotly, environment.program_dir);
  }
  return options;
}

void write_report_file(const std::string& flag, const std::filesystem::path& file,
                       const report::Report& report, std::ostream& out) {
  os::write_output_file(flag, file, report.html);
  out << report.summary << ", " << size_text(report.html.size()) << ": "
      << text::printable(file.string()) << '\n'
      << std::flush;
}

void add_verdict_output(Command& command, VerdictOutput& output) {
  command.flag(kOutputOptions, "--all", output.all, "Also print the rows that are ok").common();
  add_format(command, output.format, {"table", "markdown", "json", "github"});
  command.option(kOutputOptions, "--verdict FILE", output.verdict_file,
                 "Also write the JSON form here; `ab` always writes verdict.json in the run's "
                 "folder");
  command.option(kOutputOptions, "--markdown FILE", output.markdown_file,
                 "Also write the Markdown form here");
  add_export_files(command, output.exports);
}

void write_verdict(const std::string& path, const std::string& text) {
  os::write_output_file({}, path, text);
}

void write_no_verdict(const VerdictOutput& output, const std::string& command, int exit_status,
                      const std::string& text) {
  write_verdict(output.verdict_file, report::error_json(exit_status, text));
  write_error_export_files(output.exports, command, text, exit_status);
}

void show_verdict(std::span<const compare::Comparison> comparisons, const VerdictOutput& output,
                  const Environment& environment) {
  const std::string json = report::verdict_json(comparisons);
  const auto drawn = [&](bool markdown) {
    return document::render(report::comparison_document(comparisons, output.all),
                            {.markdown = markdown,
                             .colour = environment.colour,
                             .columns = environment.terminal_columns});
  };
  write_verdict(output.verdict_file, json);
  if (!output.markdown_file.empty()) write_verdict(output.markdown_file, drawn(true));
  write_export_files(output.exports, comparisons);
  if (output.format == "json") {
    print(environment, json);
  } else if (output.format == "markdown") {
    print(environment, drawn(true));
  } else if (output.format == "github") {
    print(environment, report::github_annotations(report::checks_of(comparisons)));
  } else {
    print(environment, drawn(false));
  }
  write_report(output.exports, comparisons, environment);
}

}  // namespace stepbench::cli
