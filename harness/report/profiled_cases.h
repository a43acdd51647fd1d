// SPDX-License-Identifier: Apache-2.0
// The profiled launches of results, gathered: what the tables of operations and modules are about.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "harness/estimate/case_rows.h"
#include "harness/ops/op_table.h"

namespace stepbench::report {

// The launches of one case by one engine; their operations are added up.
struct ProfiledCase {
  std::string case_id;
  std::string label;
  std::string engine;
  std::int64_t launches = 0;
  std::string cost;  // "recording cost: 1.40x the step"
  std::optional<double> overhead = {};
  ops::OpTable table = {};
};

// Those whose id begins with `case_id`. Throws ConfigError when there are none.
[[nodiscard]] std::vector<ProfiledCase> profiled_cases(const record::Results& results,
                                                       const std::string& case_id);

// "num_workers=2  (native, 2 launches, recording cost: 1.40x the step)"
[[nodiscard]] std::string heading(const ProfiledCase& profiled);

// `overhead`: the profiled step over the timed one, nothing when there was none. `timed`: the row
// of the timing launches, or null.
[[nodiscard]] std::string recording_cost(std::optional<double> overhead,
                                         const estimate::CaseRow* timed);

}  // namespace stepbench::report
