// SPDX-License-Identifier: Apache-2.0
// Searches and tells what was found, for `bisect` and `track bisect`.
#pragma once

#include <string>

#include "harness/bisect/run_bisect.h"
#include "tools/stepbench/command.h"
#include "tools/stepbench/options.h"

namespace stepbench::cli {

struct BisectOutput {
  std::string format = "table";
  bool quiet = false;
  bool dry_run = false;
};

// How commits are built and searched; what both commands have.
void add_building(Command& command, bisect::BisectRequest& request);
void add_bisect_output(Command& command, BisectOutput& output);

// The exit status.
[[nodiscard]] int search_and_tell(const bisect::BisectRequest& request, const BisectOutput& output,
                                  const Environment& environment);

}  // namespace stepbench::cli
