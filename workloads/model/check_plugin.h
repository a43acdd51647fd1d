// SPDX-License-Identifier: Apache-2.0
// The rule that asks a model plug-in for its options when a plan is made.
#pragma once

#include "harness/rule.h"

namespace stepbench::model {

// A rule for the worker's `check`: of a case with model.kind: plugin, whether the file is a plug-in
// of this build and takes the options under `plugin`. Loads it.
void check_plugin(ResolvedCase& resolved, const RuleFacts& facts, RuleSink& sink);

}  // namespace stepbench::model
