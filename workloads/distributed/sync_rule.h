// SPDX-License-Identifier: Apache-2.0
// What a training step of several ranks means and forbids. Torch-free.
#pragma once

#include "harness/rule.h"

namespace stepbench::distributed {

inline constexpr const char* kSync = "distributed.sync";

// Of a workload in ranks that exchanges no gradients: its case has no options of that, and none may
// be given.
void refuse_sync(ResolvedCase& resolved, RuleSink& sink);

// With several ranks `distributed.sync` is ddp where it is not said.
void check_group_train_step(ResolvedCase& resolved, const RuleFacts& facts, RuleSink& sink);

}  // namespace stepbench::distributed
