// SPDX-License-Identifier: Apache-2.0
// The sections `optimizer`, `checkpoint`, `generate`, `step` and `script` of the catalogue, with
// the phases, metrics and rules of their workloads. Torch-free. optimizer.cpp has the names of
// optimizers with the functions that create them.
#pragma once

#include <cstdint>
#include <vector>

#include "harness/catalogue/catalogue.h"
#include "harness/measure/phase.h"
#include "harness/rule.h"

namespace stepbench::step {

[[nodiscard]] Section optimizer_section();
void check_optimizer(ResolvedCase& resolved, const RuleFacts& facts, RuleSink& sink);

// The section `checkpoint` of the catalogue. Torch-free.

inline constexpr PhaseId kCheckpointPhase = declared_phase(0);  // train_step's phase

[[nodiscard]] Section checkpoint_section();
[[nodiscard]] std::vector<Phase> train_phases();
[[nodiscard]] std::vector<Metric> checkpoint_metrics();

// All windows must contain equally many checkpoints. Call when schedule.active is final.
void check_checkpoint(const ResolvedCase& resolved, const RuleFacts& facts, RuleSink& sink);

// The section `generate` of the catalogue, the phases of its step and its rule. Torch-free.

[[nodiscard]] Section generate_section();
// In this order: prefill, decode.
[[nodiscard]] std::vector<Phase> generate_phases();

struct GenerateLengths {
  std::int64_t prompt_tokens = 0;
  std::int64_t new_tokens = 0;
};
// For a sample of `context` tokens, which is the model's context.
[[nodiscard]] GenerateLengths generate_lengths(const ResolvedCase& resolved, std::int64_t context);

// Rejects a model without a cache, more tokens than the context holds, options of a training step.
// Makes the step's latency the result: schedule.sync becomes step.
void check_generate(ResolvedCase& resolved, const RuleFacts& facts, RuleSink& sink);

// The catalogue's part for `workload: python_step`: its section `step`, additional phases, metrics.
// Torch-free.

[[nodiscard]] Section step_section();
[[nodiscard]] std::vector<Phase> python_step_phases();
[[nodiscard]] std::vector<Metric> python_step_metrics();

// The section `script` of the catalogue and the rule of the workload python_script: a user's
// unmodified Python script, whose training loop is timed by measure() of
// tools/python/stepbench_worker. Torch-free.

[[nodiscard]] Section script_section();
// Phases that a script may mark in addition to the built-in ones.
[[nodiscard]] std::vector<Phase> script_phases();
[[nodiscard]] std::vector<Metric> script_metrics();

void check_script(ResolvedCase& resolved, const RuleFacts& facts, RuleSink& sink);

}  // namespace stepbench::step
