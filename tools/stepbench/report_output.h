// SPDX-License-Identifier: Apache-2.0
// Options and output of reports, shared by `report` and by the commands with --report.
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
  std::string plotly = {};  // a file, or "none"; empty: the copy next to the program
};

// Adds --report, for commands that write a report in addition to their output.
void add_report_file(Command& command, std::string& file);
void add_report_choices(Command& command, ReportChoices& choices);
void add_plotly(Command& command, std::string& plotly);
// Reads Plotly's script. Throws ConfigError if it is missing.
[[nodiscard]] report::ReportOptions report_options(const ReportChoices& choices,
                                                   const Environment& environment);

// Writes the file atomically, then one line to `out` with its contents and path.
void write_report_file(const std::string& flag, const std::filesystem::path& file,
                       const report::Report& report, std::ostream& out);

}  // namespace stepbench::cli
