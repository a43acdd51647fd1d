// SPDX-License-Identifier: Apache-2.0
// Registers each case of a plan as a benchmark; each repetition is one launch.
#pragma once

#include <cstdint>

#include <functional>
#include <string>
#include <vector>

#include "harness/plan/plan.h"
#include "tools/gbench/launch_hand_over.h"

namespace stepbench::gbench {

struct RegisterOptions {
  bool in_unit = false;  // set by --benchmark_time_unit; else milliseconds
  bool repeats = false;  // set by --benchmark_repetitions; else the case's `launches`
  std::function<bool(const std::string& name)> wanted = {};
};

// Returns the names of the wanted cases. `plan` and `queue` must outlive the benchmarks.
[[nodiscard]] std::vector<std::string> register_cases(const plan::Plan& plan, LaunchHandOver& queue,
                                                      const RegisterOptions& options);

}  // namespace stepbench::gbench
