// SPDX-License-Identifier: Apache-2.0
// The section `checkpoint` of the catalogue. Torch-free.
#pragma once

#include <vector>

#include "harness/catalogue/catalogue.h"
#include "harness/measure/phase.h"
#include "harness/rule.h"

namespace stepbench::step {

inline constexpr PhaseId kCheckpointPhase = declared_phase(0);  // train_step's phase

[[nodiscard]] Section checkpoint_section();
[[nodiscard]] std::vector<Phase> train_phases();
[[nodiscard]] std::vector<Metric> checkpoint_metrics();

// All windows must contain equally many checkpoints. Call when schedule.active is final.
void check_checkpoint(const ResolvedCase& resolved, const RuleFacts& facts, RuleSink& sink);

}  // namespace stepbench::step
