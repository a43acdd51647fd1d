// SPDX-License-Identifier: Apache-2.0
// Rules of a training step with several ranks. Torch-free.
#pragma once

#include "harness/rule.h"

namespace stepbench::distributed {

inline constexpr const char* kSync = "distributed.sync";

// For a workload in ranks without gradient exchange: removes its options from the case and rejects
// those that were set.
void refuse_sync(ResolvedCase& resolved, RuleSink& sink);

// With several ranks the default of `distributed.sync` is ddp.
void check_group_train_step(ResolvedCase& resolved, const RuleFacts& facts, RuleSink& sink);

}  // namespace stepbench::distributed
