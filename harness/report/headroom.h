// SPDX-License-Identifier: Apache-2.0
// The time that a perfect loader would save: compares a case with its loader alone and its step
// alone (loader.alone). Pure; any thread.
#pragma once

#include <string>
#include <vector>

#include "harness/estimate/case_rows.h"

namespace stepbench::report {

// One line per case that was also measured with its step alone: "a perfect loader would save 21.4
// ms (30 %): 15.1 ms waiting, 6.3 ms because the two share the machine; ... loader alone 40.2 ms,
// step alone 50.0 ms, both 71.4 ms". The saving is both - step alone; "waiting" is the difference
// in the step's wait for data. Bounds come from both intervals. Empty if there is no such pair.
[[nodiscard]] std::vector<std::string> headroom_lines(const std::vector<estimate::CaseRow>& rows,
                                                      const record::Results& results);

}  // namespace stepbench::report
