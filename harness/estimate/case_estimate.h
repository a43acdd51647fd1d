// SPDX-License-Identifier: Apache-2.0
// From the launches of a case to its numbers. The step is the median over launches; everything else
// that has to do with time is derived from that step, so that step, batch size and rate agree in
// every row and phases sum to the step. Of a group of ranks also how well it scales. Pure; any
// thread.
#pragma once

#include <span>

#include "harness/estimate/case_rows.h"

namespace stepbench::estimate {

void estimate_case(CaseRow& row);  // fills everything derived from row.measured

// Scaling efficiency over ranks. Pure; any thread.

// Sets scaling_efficiency of rows with N ranks: samples (or tokens, if there are no samples) per
// second, over N times those of the one-rank row with otherwise equal options in the same run, arm
// and pass. The one-rank row gets 1. The interval is that of a ratio of two rows. Options of
// `distributed` are ignored: they only control how ranks start.
void add_scaling(std::span<CaseRow> rows);

}  // namespace stepbench::estimate
