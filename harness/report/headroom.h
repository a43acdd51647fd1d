// SPDX-License-Identifier: Apache-2.0
// What a perfect loader would save: a case beside its loader alone and its step alone
// (loader.alone). Pure; any thread.
#pragma once

#include <string>
#include <vector>

#include "harness/estimate/case_rows.h"

namespace stepbench::report {

// A line per case that was measured as it is and with its step alone: "a perfect loader would save
// 21.4 ms (30 %): 15.1 ms waiting, 6.3 ms because the two share the machine; ... loader alone 40.2
// ms, step alone 50.0 ms, both 71.4 ms". What is saved is both - the step alone; waiting is what
// the step waits for data beside the loader and not alone. Bounds are those of both cases'
// intervals. Empty where there is no such pair.
[[nodiscard]] std::vector<std::string> headroom_lines(const std::vector<estimate::CaseRow>& rows,
                                                      const record::Results& results);

}  // namespace stepbench::report
