// SPDX-License-Identifier: Apache-2.0
#include "tools/stepbench/internal/output_files.h"

#include <string_view>

#include "harness/base/error.h"
#include "harness/document/render.h"
#include "harness/os/files.h"
#include "harness/report/exports.h"
#include "harness/report/pages.h"
#include "harness/report/verdicts.h"
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

// The flag equals the format's name.
const report::ExportFormat& format_of_flag(const char* flag) {
  return *report::export_format(std::string_view(flag).substr(2));
}

constexpr const char* kNoPlotly = "none";

// "6.1 MB": file size in decimal units, as mail programs show it.
std::string size_text(std::size_t bytes) {
  return bytes < 100'000 ? text::significant(static_cast<double>(bytes) / 1e3, 2) + " kB"
                         : text::significant(static_cast<double>(bytes) / 1e6, 2) + " MB";
}

// Writes what says why there is no result.
void write_error_verdict(const Output& output, int exit_status, const std::string& text) {
  write_verdict(output, output.error_json(exit_status, text));
}

void write_error_exports(const Output& output, const std::string& command, int exit_status,
                         const std::string& text) {
  write_export_files(output, [&](const report::ExportFormat& format) {
    return format.of_error(command, text, exit_status);
  });
  if (output.report.empty()) return;
  os::write_output_file(
      kReport, output.report,
      report::report_of(report::error_content(command, text, exit_status), {}).html);
}

}  // namespace

void add_export_files(Command& command, Output& output) {
  const auto add = [&](const char* flag, std::string& file, const std::string& doc) {
    command.option(kOutputOptions, std::string(flag) + " FILE", file,
                   doc + std::string(format_of_flag(flag).use));
  };
  add(kJunit, output.junit, "Also write a JUnit file here: ");
  add(kOpenMetrics, output.openmetrics, "Also write gauges here: ");
  add_report_file(command, output.report);
}

void add_report_file(Command& command, std::string& file) {
  command
      .option(kOutputOptions, "--report FILE", file,
              "Also write a page with charts here, which any browser opens; see `report`")
      .common();
}

void add_verdict_output(Command& command, Output& output) {
  command.flag(kOutputOptions, "--all", output.all, "Also print the rows that are ok").common();
  add_format(command, output.format, {"table", "markdown", "json", "github"});
  command.option(kOutputOptions, "--verdict FILE", output.verdict,
                 "Also write the JSON form here; `ab` always writes verdict.json in the run's "
                 "folder");
  command.option(kOutputOptions, "--markdown FILE", output.markdown,
                 "Also write the Markdown form here");
  add_export_files(command, output);
}

void check_export_files(const Output& output, const Environment& environment) {
  if (!output.report.empty()) (void)report_options({}, environment);
}

void write_export_files(const Output& output,
                        const std::function<std::string(const report::ExportFormat&)>& text_of) {
  const auto write = [&](const char* flag, const std::string& file) {
    if (!file.empty()) os::write_output_file(flag, file, text_of(format_of_flag(flag)));
  };
  write(kJunit, output.junit);
  write(kOpenMetrics, output.openmetrics);
}

void write_report(const Output& output, const std::function<report::ReportContent()>& content,
                  const std::vector<std::string>& sources, const Environment& environment) {
  if (output.report.empty()) return;
  report::ReportOptions options = report_options({}, environment);
  options.sources = sources;
  write_report_file(kReport, output.report, report::report_of(content(), options), environment.err);
}

void write_verdict(const Output& output, const std::string& text) {
  for (const std::string& file : {output.own_verdict, output.verdict}) {
    os::write_output_file({}, file, text);
  }
}

void write_no_result(const Output& output, const std::string& command, int exit_status,
                     const std::string& text) {
  write_error_verdict(output, exit_status, text);
  write_error_exports(output, command, exit_status, text);
}

void write_output(const std::string& file, const Environment& environment,
                  const std::function<void(const json::TextSink& sink)>& write) {
  if (file.empty()) {
    write([&](std::string_view piece) { environment.out << piece; });
    return print(environment, {});
  }
  os::OutputFile output("--output", file);
  write([&](std::string_view piece) { output.write(piece); });
  output.close();
}

std::string render(const document::Document& document, const Environment& environment,
                   const std::string& format) {
  return document::render(document, {.markdown = format == "markdown",
                                     .colour = environment.colour,
                                     .columns = environment.terminal_columns});
}

void show_verdict(std::span<const verdict::Comparison> comparisons, const Output& output,
                  const Environment& environment) {
  const std::string json = report::verdict_json(comparisons);
  const auto drawn = [&](const std::string& format) {
    return render(report::comparison_document(comparisons, output.all), environment, format);
  };
  write_verdict(output, json);
  if (!output.markdown.empty()) os::write_output_file({}, output.markdown, drawn("markdown"));
  write_export_files(output, [&](const report::ExportFormat& format) {
    return format.of_verdict(comparisons, {});
  });
  if (output.format == "json") {
    print(environment, json);
  } else if (output.format == "github") {
    print(environment, report::github_annotations(report::checks_of(comparisons)));
  } else {
    print(environment, drawn(output.format));
  }
  write_report(
      output, [&] { return report::verdict_content(comparisons, {}); }, {}, environment);
}

int run_session(const std::string& command, const Output& output, const Environment& environment,
                const std::function<int()>& work,
                const std::function<void(const Failure&)>& report_failure) {
  check_export_files(output, environment);
  try {
    return work();
  } catch (const os::OutputRefused&) {
    throw;
  } catch (const std::exception& error) {
    const Failure failure = failure_of(error, command);
    // Only the first failure is reported.
    const auto attempt = [](const auto& write) {
      try {
        write();
      } catch (const Error&) {
        return;
      }
    };
    attempt([&] { write_error_verdict(output, failure.exit_status, failure.text); });
    attempt([&] { write_error_exports(output, command, failure.exit_status, failure.text); });
    if (report_failure) report_failure(failure);
    throw;
  }
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

}  // namespace stepbench::cli
