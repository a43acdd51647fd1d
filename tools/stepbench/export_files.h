// SPDX-License-Identifier: Apache-2.0
// Files that `run`, `ab`, `compare`, `track check` and `nightly` write in addition to their output:
// --junit and --openmetrics for other programs, --report for people. `export` and `report` create
// the same files from stored results.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <vector>

#include "harness/report/export_formats.h"
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

}  // namespace stepbench::cli
