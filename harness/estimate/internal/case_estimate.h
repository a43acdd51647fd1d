// SPDX-License-Identifier: Apache-2.0
// The numbers of a case from its launches. The step is the median over launches; all other times
// and rates are derived from that step, so that step, batch size and rate agree in every row and
// phases sum to the step. Also the scaling efficiency of groups of ranks. Pure; any thread.
#pragma once

#include <span>

#include "harness/estimate/case_rows.h"

namespace stepbench::estimate {

void estimate_case(CaseRow& row);  // fills everything derived from row.measured

// Sets scaling_efficiency of rows with N ranks: samples (or tokens, if there are no samples) per
// second, over N times those of the one-rank row with otherwise equal options in the same run, arm
// and pass. The one-rank row gets 1. The interval is that of a ratio of two rows. Options of
// `distributed` are ignored: they only control how ranks start.
void add_scaling(std::span<CaseRow> rows);

}  // namespace stepbench::estimate
