// SPDX-License-Identifier: Apache-2.0
// Files that `run`, `ab`, `compare`, `track check` and `nightly` write besides what they print:
// --junit and --openmetrics for other programs, --report for people. `export` and `report` make the
// same of what is on disk.
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

// What of a report can be refused before any work is done: another file in its place, or that the
// script that draws it is missing. Throws ConfigError.
void check_export_files(const ExportFiles& files, const Environment& environment);

// Throw ConfigError where a file cannot be written.
void write_export_files(const ExportFiles& files, const record::Results& results);
void write_export_files(const ExportFiles& files, std::span<const compare::Comparison> comparisons);
void write_night_export_files(const ExportFiles& files, const std::string& night_json);
// The report alone, when all else is written and printed: where that fails, a warning says so and
// the exit status stays that of the measurement. Says on standard error what it holds. `sources`:
// where the results lie.
void write_report(const ExportFiles& files, report::ReportContent content,
                  const std::vector<std::string>& sources, const Environment& environment);
void write_report(const ExportFiles& files, const record::Results& results,
                  const std::vector<std::string>& sources, const Environment& environment);
void write_report(const ExportFiles& files, std::span<const compare::Comparison> comparisons,
                  const Environment& environment);
// Where there is no answer: old files must not be taken for this call's.
void write_error_export_files(const ExportFiles& files, const std::string& command,
                              const std::string& message, int exit_code);

}  // namespace stepbench::cli
