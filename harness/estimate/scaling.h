// SPDX-License-Identifier: Apache-2.0
// How well a group of ranks scales. Pure; any thread.
#pragma once

#include <span>

#include "harness/estimate/case_rows.h"

namespace stepbench::estimate {

// Sets scaling_efficiency of the rows of N ranks: their samples per second, or tokens where there
// are no samples, over N times those of the row with one rank whose other options are the same, of
// the same run, arm and pass. That row has 1. The interval is that of a ratio of two rows. Options
// of `distributed` say only how ranks start.
void add_scaling(std::span<CaseRow> rows);

}  // namespace stepbench::estimate
