// SPDX-License-Identifier: Apache-2.0
// Scaling efficiency over ranks. Pure; any thread.
#pragma once

#include <span>

#include "harness/estimate/case_rows.h"

namespace stepbench::estimate {

// Sets scaling_efficiency of rows with N ranks: samples (or tokens, if there are no samples) per
// second, over N times those of the one-rank row with otherwise equal options in the same run, arm
// and pass. The one-rank row gets 1. The interval is that of a ratio of two rows. Options of
// `distributed` are ignored: they only control how ranks start.
void add_scaling(std::span<CaseRow> rows);

}  // namespace stepbench::estimate
