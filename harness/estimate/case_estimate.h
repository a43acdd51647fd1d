// SPDX-License-Identifier: Apache-2.0
// From the launches of a case to its numbers. The step is the median over launches; everything else
// that has to do with time is derived from that step, so that step, batch size and rate agree in
// every row and phases sum to the step. Pure; any thread.
#pragma once

#include "harness/estimate/case_rows.h"

namespace stepbench::estimate {

void estimate_case(CaseRow& row);  // fills all that follows from row.measured

}  // namespace stepbench::estimate
