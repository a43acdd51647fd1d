// SPDX-License-Identifier: Apache-2.0
// Proposes commands that give more information than a run, derived from the run's own command.
// Pure; any thread.
#pragma once

#include <string>

#include "harness/estimate/case_rows.h"

namespace stepbench::report {

// The same run with so many launches per case; empty if the run does not record its command.
[[nodiscard]] std::string command_with_launches(const record::RunRow& run, std::size_t launches);

// `ab` of two cases of the run. Empty if a sweep in the file distinguishes them, or if the command
// has flags that `ab` may lack.
[[nodiscard]] std::string command_of_pair(const record::RunRow& run, const estimate::CaseRow& a,
                                          const estimate::CaseRow& b);

}  // namespace stepbench::report
