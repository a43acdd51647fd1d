// SPDX-License-Identifier: Apache-2.0
// Commands that tell more than a run did, made from the one that measured it. Pure; any thread.
#pragma once

#include <string>

#include "harness/estimate/case_rows.h"

namespace stepbench::report {

// The same run with so many launches of each case; empty where the run does not say how it began.
[[nodiscard]] std::string command_with_launches(const record::RunRow& run, std::size_t launches);

// `ab` of two cases of the run. Empty where a file's own sweep varies them, or the command has
// words that `ab` may not know.
[[nodiscard]] std::string command_of_pair(const record::RunRow& run, const estimate::CaseRow& a,
                                          const estimate::CaseRow& b);

}  // namespace stepbench::report
