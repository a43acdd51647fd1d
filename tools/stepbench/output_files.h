// SPDX-License-Identifier: Apache-2.0
// The files that commands write in addition to their output: --junit and --openmetrics for other
// programs, --report for people, and the verdict of `compare` and `ab`.
#pragma once

#include <cstddef>
#include <exception>
#include <filesystem>
#include <functional>
#include <iosfwd>
#include <span>
#include <string>
#include <vector>

#include "harness/base/error.h"
#include "harness/compare/comparison.h"
#include "harness/os/output_file.h"
#include "harness/report/exports.h"
#include "harness/report/html/report.h"
#include "tools/stepbench/command.h"

namespace stepbench::cli {

struct ExportFiles {
  std::string junit = {};
  std::string openmetrics = {};
  std::string report = {};
};

void add_export_files(Command& command, ExportFiles& files);

// Checks before any work that a report can be written: throws ConfigError if the script that draws
// it is missing.
void check_export_files(const ExportFiles& files, const Environment& environment);

// Throw ConfigError if a file cannot be written.
void write_export_files(const ExportFiles& files, const record::Results& results);
void write_export_files(const ExportFiles& files, std::span<const compare::Comparison> comparisons);
void write_night_export_files(const ExportFiles& files, const std::string& night_json);
// Writes only the report, after everything else was written and printed. Prints its contents to
// standard error. `sources`: location of the results.
void write_report(const ExportFiles& files, report::ReportContent content,
                  const std::vector<std::string>& sources, const Environment& environment);
void write_report(const ExportFiles& files, const record::Results& results,
                  const std::vector<std::string>& sources, const Environment& environment);
void write_report(const ExportFiles& files, std::span<const compare::Comparison> comparisons,
                  const Environment& environment);
// For a failed call: replaces old files, which could be mistaken for its result.
void write_error_export_files(const ExportFiles& files, const std::string& command,
                              const std::string& message, int exit_code);

// Reports: options and output, shared by `report` and by the commands with --report.

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

// Verdicts of `compare` and `ab`: files and the terminal.

struct VerdictOutput {
  std::string format = "table";  // table | markdown | json | github
  std::string verdict_file = {};
  std::string markdown_file = {};
  ExportFiles exports = {};
  bool all = false;
};

void add_verdict_output(Command& command, VerdictOutput& output);

// For a call without a verdict, with the reason in `text`: replaces old files, which could be
// mistaken for its verdict. Throws ConfigError.
void write_no_verdict(const VerdictOutput& output, const std::string& command, int exit_status,
                      const std::string& text);
// Does nothing for an empty path. Throws ConfigError.
void write_verdict(const std::string& path, const std::string& text);

// Also for several results compared with one base.
void show_verdict(std::span<const compare::Comparison> comparisons, const VerdictOutput& output,
                  const Environment& environment);

// Frame of commands that measure or judge: replaces old output files, which could be mistaken for
// results of this call.

// Returns the exit status of `work`. If it throws, `report_failure` writes the reason to the output
// files of `command` before the error is rethrown, unless these files were refused.
template <typename Work, typename ReportFailure>
int run_session(const std::string& command, const ExportFiles& files,
                const Environment& environment, const Work& work,
                const ReportFailure& report_failure) {
  check_export_files(files, environment);
  try {
    return work();
  } catch (const os::OutputRefused&) {
    throw;
  } catch (const std::exception& error) {
    report_failure(failure_of(error, command));
    throw;
  }
}

}  // namespace stepbench::cli
