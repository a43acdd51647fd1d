// SPDX-License-Identifier: Apache-2.0
// The section `generate` of the catalogue, the phases of its step and its rule. Torch-free.
#pragma once

#include <cstdint>
#include <vector>

#include "harness/catalogue/catalogue.h"
#include "harness/rule.h"

namespace stepbench::step {

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

}  // namespace stepbench::step
