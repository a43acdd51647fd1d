// SPDX-License-Identifier: Apache-2.0
// What the catalogue says of `workload: python_step`: its section `step`, phases beyond the
// built-in ones, metrics. Torch-free.
#pragma once

#include <vector>

#include "harness/catalogue/catalogue.h"

namespace stepbench::step {

[[nodiscard]] Section step_section();
[[nodiscard]] std::vector<Phase> python_step_phases();
[[nodiscard]] std::vector<Metric> python_step_metrics();

}  // namespace stepbench::step
