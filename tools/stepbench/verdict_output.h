// SPDX-License-Identifier: Apache-2.0
// Where `compare` and `ab` put their verdict: files and the terminal.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "harness/compare/comparison.h"
#include "tools/stepbench/command.h"
#include "tools/stepbench/export_files.h"

namespace stepbench::cli {

struct VerdictOutput {
  std::string format = "table";  // table | markdown | json | github
  std::string verdict_file = {};
  std::string markdown_file = {};
  ExportFiles exports = {};
  bool all = false;
};

// The options that fill it in.
void add_verdict_output(Command& command, VerdictOutput& output);

// Where there is no verdict, `text` says why: no old one must be taken for this one's. Throws
// ConfigError.
void write_no_verdict(const VerdictOutput& output, const std::string& command, int exit_status,
                      const std::string& text);
// Nothing for an empty path. Throws ConfigError.
void write_verdict(const std::string& path, const std::string& text);

// Of several results against one base, too.
void show_verdict(std::span<const compare::Comparison> comparisons, const VerdictOutput& output,
                  const Environment& environment);

}  // namespace stepbench::cli
