// SPDX-License-Identifier: Apache-2.0
// The catalogue's part for `workload: python_step`: its section `step`, additional phases, metrics.
// Torch-free.
#pragma once

#include <vector>

#include "harness/catalogue/catalogue.h"

namespace stepbench::step {

[[nodiscard]] Section step_section();
[[nodiscard]] std::vector<Phase> python_step_phases();
[[nodiscard]] std::vector<Metric> python_step_metrics();

}  // namespace stepbench::step
