// SPDX-License-Identifier: Apache-2.0
// The section `script` of the catalogue and the rule of the workload python_script: a Python script
// of the user's, as it is, whose training loop measure() of tools/python/stepbench_worker times.
// Torch-free.
#pragma once

#include <vector>

#include "harness/catalogue/catalogue.h"
#include "harness/rule.h"

namespace stepbench::script {

[[nodiscard]] Section script_section();
// What a script may mark beside the built-in phases.
[[nodiscard]] std::vector<Phase> script_phases();
[[nodiscard]] std::vector<Metric> script_metrics();

void check_script(ResolvedCase& resolved, const RuleFacts& facts, RuleSink& sink);

}  // namespace stepbench::script
