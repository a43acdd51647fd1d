// SPDX-License-Identifier: Apache-2.0
// What a case is called as a Google Benchmark. Pure.
#pragma once

#include <string>
#include <vector>

#include "harness/plan/plan.h"

namespace stepbench::gbench {

// "train_step/num_workers:4/pin_memory:true", of each case in order: the workload and the options
// that tell the cases apart. Characters with a meaning in names of benchmarks or in their filters,
// and those that cannot be printed, become '_'; a long value is cut; where two cases would have one
// name, its id stands behind it. As `export --format gbench` calls them.
[[nodiscard]] std::vector<std::string> benchmark_names(const plan::Plan& plan);

}  // namespace stepbench::gbench
