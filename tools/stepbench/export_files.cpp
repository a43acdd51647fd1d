// SPDX-License-Identifier: Apache-2.0
#include "tools/stepbench/export_files.h"

#include "harness/base/error.h"
#include "harness/os/output_file.h"
#include "harness/report/checks.h"
#include "harness/report/exports.h"
#include "harness/report/html/report.h"
#include "harness/text/printable.h"
#include "harness/text/words.h"
#include "tools/stepbench/command.h"
#include "tools/stepbench/options.h"
#include "tools/stepbench/report_output.h"

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

}  // namespace stepbench::cli
