// SPDX-License-Identifier: Apache-2.0
// Groups profiled launches by case, for the tables of operations and modules.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "harness/estimate/case_rows.h"
#include "harness/ops/op_table.h"

namespace stepbench::estimate {

// The launches of one case by one engine, with their operations summed.
struct ProfiledCase {
  std::string case_id;
  std::string label;
  std::string engine;
  std::int64_t launches = 0;
  std::optional<double> overhead = {};  // profiled step over timed step; nullopt if not timed
  bool within_noise = false;
  ops::OpTable table = {};
};

// Cases whose id begins with `case_id`. Throws ConfigError if there are none.
[[nodiscard]] std::vector<ProfiledCase> profiled_cases(const record::Results& results,
                                                       const std::string& case_id);

// True if recording slowed the step by no more than launches differ. `overhead`: profiled step over
// timed step. `timed`: the row of the timing launches, or null.
[[nodiscard]] bool is_within_noise(double overhead, const CaseRow* timed);

}  // namespace stepbench::estimate
