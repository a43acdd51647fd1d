// SPDX-License-Identifier: Apache-2.0
// Flags and output that `compare` and `ab` have in common.
#pragma once

#include <string>
#include <vector>

#include "harness/compare/comparison.h"
#include "harness/plan/plan.h"
#include "tools/stepbench/command.h"

namespace stepbench::cli {

// "step=2%", "0.02" (of the step), "peak_bytes=0" over what `margins` holds. Throws ConfigError.
[[nodiscard]] Margins parse_margins(const std::vector<std::string>& given, Margins margins);

// What the plan's file says in its section `compare`.
[[nodiscard]] Margins margins_of(const Plan& plan);

struct VerdictOutput {
  std::string format = "table";  // table | markdown | json
  std::string verdict_file = {};
  std::string markdown_file = {};
  bool all = false;
};

// Throws ConfigError for a name in `allow` that is none of `known`, with the nearest one.
void check_allowed(const std::vector<std::string>& allow, const std::vector<std::string>& known);

// Nothing for an empty path. Throws ConfigError.
void write_verdict(const std::string& path, const std::string& text);

void show_verdict(const Comparison& comparison, const VerdictOutput& output,
                  const Environment& environment);

}  // namespace stepbench::cli
