// SPDX-License-Identifier: Apache-2.0
// Computes a case's numbers from its launches. The step is the median over launches; all other
// times are derived from it, so that step, batch size and rate agree in every row and phases sum to
// the step. Pure; any thread.
#pragma once

#include "harness/estimate/case_rows.h"

namespace stepbench::estimate {

void estimate_case(CaseRow& row);  // fills everything derived from row.measured

}  // namespace stepbench::estimate
