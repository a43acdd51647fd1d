// SPDX-License-Identifier: Apache-2.0
// Fits schedules to a loader with workers.
#pragma once

#include <cstdint>

#include "harness/rule.h"

namespace stepbench::loader {

// Fits windows to a loader whose workers deliver in turns: `active` becomes a multiple of
// loader.num_workers and at least `turns` times it, and the warm-up lasts until the queue is in its
// steady state. Changes only schedule.*, which is not part of a case's identity. Does not apply to
// --smoke.
void fit_schedule(std::int64_t turns, ResolvedCase& resolved, const RuleFacts& facts,
                  RuleSink& sink);

// fit_schedule() as rules of `loader` and of steps that do more than take batches, which need fewer
// turns. The worker applies them in `check` too, for a controller of another build.
void fit_loader_schedule(ResolvedCase& resolved, const RuleFacts& facts, RuleSink& sink);
void fit_step_schedule(ResolvedCase& resolved, const RuleFacts& facts, RuleSink& sink);

}  // namespace stepbench::loader
