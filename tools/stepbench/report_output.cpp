// SPDX-License-Identifier: Apache-2.0
#include "tools/stepbench/report_output.h"

#include <ostream>
#include <string_view>
#include <system_error>

#include "harness/base/error.h"
#include "harness/os/output_file.h"
#include "harness/text/numbers.h"
#include "harness/text/printable.h"
#include "tools/stepbench/options.h"

namespace stepbench::cli {
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

}  // namespace stepbench::cli
