// SPDX-License-Identifier: Apache-2.0
// Google Benchmark names of cases. Pure.
#pragma once

#include <string>
#include <vector>

#include "harness/plan/plan.h"

namespace stepbench::gbench {

// "train_step/num_workers:4/pin_memory:true", for each case in order: the workload and the options
// that distinguish the cases. Unprintable characters and those with a meaning in benchmark names or
// filters become '_'; long values are truncated; duplicate names get the case id appended. `export
// --format gbench` uses the same names.
[[nodiscard]] std::vector<std::string> benchmark_names(const plan::Plan& plan);

}  // namespace stepbench::gbench
