// SPDX-License-Identifier: Apache-2.0
#include <filesystem>
#include <ostream>
#include <string>
#include <system_error>
#include <vector>

#include "harness/base/error.h"
#include "harness/base/exit_status.h"
#include "harness/text/printable.h"
#include "tools/stepbench/commands.h"
#include "tools/stepbench/options.h"
#include "tools/stepbench/report_output.h"
#include "tools/stepbench/report_source.h"

namespace stepbench::cli {
namespace {

constexpr const char* kReportExamples = R"(Examples:
  stepbench report                             the newest run under results/
  stepbench report results/RUN                 writes results/RUN/report.html
  stepbench report RUN1 RUN2 --output both.html    several runs on one page
  stepbench report results/RUN/verdict.json    what `ab` or `compare` decided
  stepbench report RUN --section overview,sweep
  stepbench report RUN --compact               packed: a third of the size, for an e-mail

One file that any browser opens, without a server and without a network. It holds the charts, every
number as a table that can be sorted and filtered, and the data behind them as JSON
(results/REPORT.md). Without JavaScript it shows the tables.

Exit status: 0, 2 wrong usage, a file that cannot be read or written, or no Plotly to draw with, 4
nothing in it was measured: the page is written and says so.)";

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

int execute_report(const ReportArguments& arguments, const Environment& environment) {
  std::vector<std::string> sources = arguments.sources;
  if (sources.empty()) sources.emplace_back("results");
  choose_sources(sources, environment.err);
  const std::filesystem::path output =
      arguments.output.empty() ? default_output(sources) : std::filesystem::path(arguments.output);
  if (arguments.output.empty()) os::check_files({.outputs = {{"--output", output}}});
  const report::ReportOptions options = report_options(arguments.choices, environment);
  const report::Report report = read_report(sources, options, environment);
  write_report_file("--output", output, report, environment.out);
  return report.measured ? kExitOk : kExitNothingMeasured;
}

}  // namespace

void add_report(Command& command) {
  command.footer = kReportExamples;
  ReportArguments& arguments = command.calls(execute_report);
  command.argument("RUN", arguments.sources,
                   "Runs as `show` takes them; or a verdict.json, a night's verdict, a history (a "
                   "file, sqlite:FILE or postgresql://...), or traces; default: results",
                   "RUN");
  command
      .option(kOutputOptions, "--output FILE", arguments.output,
              "Write to this file; default: report.html in the run's folder, else here")
      .common();
  add_report_choices(command, arguments.choices);
}

}  // namespace stepbench::cli
