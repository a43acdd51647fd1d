// SPDX-License-Identifier: Apache-2.0
// Each case of a plan as a registered benchmark whose repetition is one launch.
#pragma once

#include <cstdint>

#include <functional>
#include <string>
#include <vector>

#include "harness/plan/plan.h"
#include "tools/gbench/launch_hand_over.h"

namespace stepbench::gbench {

struct RegisterOptions {
  bool in_unit = false;  // of --benchmark_time_unit; else milliseconds
  bool repeats = false;  // by --benchmark_repetitions; else each case as its `launches` says
  std::function<bool(const std::string& name)> wanted = {};
};

// Returns the names of those that are wanted. `plan` and `queue` outlive the benchmarks.
[[nodiscard]] std::vector<std::string> register_cases(const plan::Plan& plan, LaunchHandOver& queue,
                                                      const RegisterOptions& options);

}  // namespace stepbench::gbench
