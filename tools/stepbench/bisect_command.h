// SPDX-License-Identifier: Apache-2.0
// What `stepbench bisect` shares with `track bisect`: the options for building and searching
// commits, and the report of the result.
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

// Options of both commands for how commits are built and searched.
void add_building(Command& command, bisect::BisectRequest& request);
void add_bisect_output(Command& command, BisectOutput& output);

// Returns the exit status.
[[nodiscard]] int search_and_report(const bisect::BisectRequest& request,
                                    const BisectOutput& output, const Environment& environment);

}  // namespace stepbench::cli
