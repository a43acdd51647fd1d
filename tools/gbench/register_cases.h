// SPDX-License-Identifier: Apache-2.0
// Each case of a plan as a registered benchmark whose repetition is one launch.
#pragma once

#include <cstdint>

#include "harness/plan/plan.h"
#include "tools/gbench/launch_hand_over.h"

namespace stepbench::gbench {

struct RegisterOptions {
  bool repeats = false;  // by --benchmark_repetitions; else each case as its `launches` says
};

// `plan` and `queue` outlive the benchmarks.
void register_cases(const plan::Plan& plan, LaunchHandOver& queue, const RegisterOptions& options);

}  // namespace stepbench::gbench
