// SPDX-License-Identifier: Apache-2.0
// Slow steps that occur less than once per launch: the mean over launches sees them, the median
// does not. Pure; any thread.
#pragma once

#include <cstdint>
#include <optional>

#include "harness/estimate/case_rows.h"

namespace stepbench::estimate {

struct RareSlowSteps {
  std::int64_t slow = 0;    // longer than any step of the median launch
  std::int64_t steps = 0;   // in all launches
  double difference = 0;    // of the mean over launches from their median: 0.08 = 8 % longer
  std::int64_t active = 0;  // number of steps in which about ten of them are expected
};

// nullopt while mean and median over launches agree within `margin`.
[[nodiscard]] std::optional<RareSlowSteps> rare_slow_steps(const CaseRow& row, double margin);

}  // namespace stepbench::estimate
