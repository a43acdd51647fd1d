// SPDX-License-Identifier: Apache-2.0
// Output of the verdict of `compare` and `ab`: files and the terminal.
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

}  // namespace stepbench::cli
