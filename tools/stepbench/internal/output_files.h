// SPDX-License-Identifier: Apache-2.0
// The outputs of a command that measures or judges: its text in a format, and files beside it:
// --junit and --openmetrics for other programs, --report for people, and the verdict.
#pragma once

#include <cstddef>
#include <filesystem>
#include <functional>
#include <iosfwd>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "harness/base/exit_status.h"
#include "harness/document/render.h"
#include "harness/json/json_text.h"
#include "harness/report/exports.h"
#include "harness/report/pages.h"
#include "harness/report/verdicts.h"
#include "harness/verdict/comparison.h"
#include "tools/stepbench/command.h"

namespace stepbench::cli {

struct Output {
  std::string junit = {};
  std::string openmetrics = {};
  std::string report = {};
  std::string verdict = {};      // the verdict as JSON
  std::string own_verdict = {};  // the same in the run's folder, once there is one
  std::string markdown = {};
  std::string format = "table";
  bool all = false;  // also the rows that are ok
  bool quiet = false;
  bool dry_run = false;
  // Content of the verdict's file if there is none.
  std::string (*error_json)(int exit_status, std::string_view text) = report::error_json;
};

// --junit, --openmetrics and --report.
void add_export_files(Command& command, Output& output);
// --report alone.
void add_report_file(Command& command, std::string& file);
// The output of `compare` and `ab`.
void add_verdict_output(Command& command, Output& output);

// Checks before any work that a report can be written: throws ConfigError if the script that draws
// it is missing.
void check_export_files(const Output& output, const Environment& environment);

// All writers throw ConfigError if a file cannot be written, and do nothing for an empty path.

// `text_of` creates the text in a format.
void write_export_files(const Output& output,
                        const std::function<std::string(const report::ExportFormat&)>& text_of);
// Writes only the report, after everything else was written and printed. Prints its contents to
// standard error. `sources`: location of the results.
void write_report(const Output& output, const std::function<report::ReportContent()>& content,
                  const std::vector<std::string>& sources, const Environment& environment);
void write_verdict(const Output& output, const std::string& text);
// For a call without a result, with the reason in `text`: replaces old files, which could be
// mistaken for its result.
void write_no_result(const Output& output, const std::string& command, int exit_status,
                     const std::string& text);

// What `write` passes to its sink goes to the file of --output, which is replaced as a whole, or to
// standard output if that is empty.
void write_output(const std::string& file, const Environment& environment,
                  const std::function<void(const json::TextSink& sink)>& write);

// Also for several results compared with one base.
void show_verdict(std::span<const verdict::Comparison> comparisons, const Output& output,
                  const Environment& environment);
[[nodiscard]] std::string render(const document::Document& document, const Environment& environment,
                                 const std::string& format = {});

// Returns the exit status of `work`. If it throws, the reason is written to the output files of
// `command` and passed to `report_failure` before the error is rethrown, unless these files were
// refused.
[[nodiscard]] int run_session(const std::string& command, const Output& output,
                              const Environment& environment, const std::function<int()>& work,
                              const std::function<void(const Failure&)>& report_failure = {});

// Reports: options and output, shared by `report` and by the commands with --report.

struct ReportChoices {
  std::string title = {};
  std::vector<std::string> sections = {};
  std::size_t points = report::DrawOptions{}.points;
  bool compact = false;
  std::string plotly = {};  // a file, or "none"; empty: the copy next to the program
};

void add_plotly(Command& command, std::string& plotly);
// Reads Plotly's script. Throws ConfigError if it is missing.
[[nodiscard]] report::ReportOptions report_options(const ReportChoices& choices,
                                                   const Environment& environment);

// Writes the file atomically, then one line to `out` with its contents and path.
void write_report_file(const std::string& flag, const std::filesystem::path& file,
                       const report::Report& report, std::ostream& out);

}  // namespace stepbench::cli
