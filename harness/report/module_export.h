// SPDX-License-Identifier: Apache-2.0
// Exports modules of profiled cases: exact sums over the profiled steps. Pure.
#pragma once

#include <string>
#include <vector>

#include "harness/report/module_columns.h"

namespace stepbench::report {

// One line per module; times in microseconds, exact to the nanosecond.
[[nodiscard]] std::string modules_csv(const std::vector<CaseModules>& all, const std::string& sort);
[[nodiscard]] std::string modules_json(const std::vector<CaseModules>& all,
                                       const std::string& sort);

}  // namespace stepbench::report
