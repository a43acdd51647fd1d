// SPDX-License-Identifier: Apache-2.0
// Files for other programs that `run`, `ab`, `compare`, `track check` and `nightly` write besides
// what they print: --junit and --openmetrics. `export` makes the same of what is on disk.
#pragma once

#include <filesystem>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "harness/report/export_formats.h"

namespace CLI {
class App;
}

namespace stepbench::cli {

struct ExportFiles {
  std::string junit = {};
  std::string openmetrics = {};
};

void add_export_files(CLI::App& command, ExportFiles& files);

// What can be refused before any work is done, as check_output_file() does; also two names of one
// file. `others`: what the command writes besides, each with its flag.
using FlaggedFile = std::pair<std::string, std::string>;
void check_export_files(const ExportFiles& files, std::span<const std::filesystem::path> inputs,
                        const std::vector<FlaggedFile>& others);

// Throw ConfigError where a file cannot be written.
void write_export_files(const ExportFiles& files, const Results& results);
void write_export_files(const ExportFiles& files, std::span<const Comparison> comparisons);
void write_night_export_files(const ExportFiles& files, const std::string& night_json);
// Where there is no answer: old files must not be taken for this call's.
void write_error_export_files(const ExportFiles& files, const std::string& command,
                              const std::string& message, int exit_code);

}  // namespace stepbench::cli
