// SPDX-License-Identifier: Apache-2.0
// The section `script` of the catalogue and the rule of the workload python_script: a user's
// unmodified Python script, whose training loop is timed by measure() of
// tools/python/stepbench_worker. Torch-free.
#pragma once

#include <vector>

#include "harness/catalogue/catalogue.h"
#include "harness/rule.h"

namespace stepbench::script {

[[nodiscard]] Section script_section();
// Phases that a script may mark in addition to the built-in ones.
[[nodiscard]] std::vector<Phase> script_phases();
[[nodiscard]] std::vector<Metric> script_metrics();

void check_script(ResolvedCase& resolved, const RuleFacts& facts, RuleSink& sink);

}  // namespace stepbench::script
