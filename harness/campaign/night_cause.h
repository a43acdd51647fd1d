// SPDX-License-Identifier: Apache-2.0
// What explains that a case takes longer than with the reference program. Pure; any thread.
#pragma once

#include <string>

#include "harness/record/reader.h"

namespace stepbench::campaign {

// "data_wait +2.1 ms, 62 % of the change; aten::copy_ +120 calls/step"; empty: nothing does. Of the
// pairs from number `first` on, and of launches that recorded operations.
[[nodiscard]] std::string night_cause(const record::Results& results, const std::string& case_id,
                                      int first);

}  // namespace stepbench::campaign
