// SPDX-License-Identifier: Apache-2.0
// Rule that checks a model plug-in's options during planning.
#pragma once

#include "harness/rule.h"

namespace stepbench::model {

// A rule for the worker's `check`: for model.kind: plugin, checks that the file is a plug-in of
// this build and accepts the options under `plugin`. Loads it.
void check_plugin(ResolvedCase& resolved, const RuleFacts& facts, RuleSink& sink);

}  // namespace stepbench::model
