// SPDX-License-Identifier: Apache-2.0
// What a perfect loader would save: a case beside its own with the loader's batches replayed
// (loader.replay). Pure; any thread.
#pragma once

#include <string>
#include <vector>

#include "harness/estimate/case_rows.h"

namespace stepbench::report {

// A line per case that was measured as it is and with its batches replayed: "a perfect loader would
// save 21.4 ms (30 %): 15.1 ms waiting, 6.3 ms because its workers take CPU". As it is - working is
// the wait, working - stopped the cores that the workers take. Bounds are those of both cases'
// intervals. Empty where there is no such pair.
[[nodiscard]] std::vector<std::string> headroom_lines(const std::vector<estimate::CaseRow>& rows,
                                                      const record::Results& results);

}  // namespace stepbench::report
