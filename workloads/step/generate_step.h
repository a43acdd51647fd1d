// SPDX-License-Identifier: Apache-2.0
// `workload: generate`.
#pragma once

#include <memory>

#include "harness/workload.h"

namespace stepbench::step {

// Greedy text generation for a batch of prompts, with a key-value cache. Each token reaches the
// host before the next is computed. Phases: data_wait, h2d (not on the CPU), prefill, decode.
[[nodiscard]] std::unique_ptr<Workload> make_generate_step(const ResolvedCase& resolved,
                                                           WorkerContext& context);

}  // namespace stepbench::step
