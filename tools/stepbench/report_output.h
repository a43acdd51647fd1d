// SPDX-License-Identifier: Apache-2.0
// How a report is to look, and the file that it goes to: shared by `report` and by the commands
// that take --report.
#pragma once

#include <cstddef>
#include <filesystem>
#include <iosfwd>
#include <string>
#include <vector>

#include "harness/report/html/report.h"
#include "tools/stepbench/command.h"

namespace stepbench::cli {

struct ReportChoices {
  std::string title = {};
  std::vector<std::string> sections = {};
  std::size_t points = report::DrawOptions{}.points;
  bool compact = false;
  std::string plotly = {};  // a file, or "none"; empty: the one beside the program
};

// --report, of commands that write one besides what they print.
void add_report_file(Command& command, std::string& file);
void add_report_choices(Command& command, ReportChoices& choices);
void add_plotly(Command& command, std::string& plotly);
// Reads Plotly's script. Throws ConfigError where it is not there.
[[nodiscard]] report::ReportOptions report_options(const ReportChoices& choices,
                                                   const Environment& environment);

// As a whole; then one line on `out` that says what it holds and where it is.
void write_report_file(const std::string& flag, const std::filesystem::path& file,
                       const report::Report& report, std::ostream& out);

}  // namespace stepbench::cli
