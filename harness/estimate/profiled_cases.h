// SPDX-License-Identifier: Apache-2.0
// The profiled launches of results, gathered: what the tables of operations and modules are about.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "harness/estimate/case_rows.h"
#include "harness/ops/op_table.h"

namespace stepbench::estimate {

// The launches of one case by one engine; their operations are added up.
struct ProfiledCase {
  std::string case_id;
  std::string label;
  std::string engine;
  std::int64_t launches = 0;
  std::optional<double> overhead = {};  // the step over the timed one; nullopt: nobody timed it
  bool within_noise = false;
  ops::OpTable table = {};
};

// Those whose id begins with `case_id`. Throws ConfigError when there are none.
[[nodiscard]] std::vector<ProfiledCase> profiled_cases(const record::Results& results,
                                                       const std::string& case_id);

// Recording made the step slower by no more than its launches differ. `overhead`: the profiled step
// over the timed one. `timed`: the row of the timing launches, or null.
[[nodiscard]] bool is_within_noise(double overhead, const CaseRow* timed);

}  // namespace stepbench::estimate
