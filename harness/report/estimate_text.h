// SPDX-License-Identifier: Apache-2.0
// Reported numbers as people read them. Pure; any thread.
#pragma once

#include <string>

#include "harness/estimate/columns.h"
#include "harness/text/numbers.h"

namespace stepbench {

// The number of one case without its unit; `otherwise` if the case has none.
[[nodiscard]] std::string estimate_text(const EstimateColumn& column, const CaseRow& row,
                                        TimeUnit unit, const std::string& otherwise);
// "host [ms]"
[[nodiscard]] std::string header_text(const EstimateColumn& column, TimeUnit unit);

}  // namespace stepbench
