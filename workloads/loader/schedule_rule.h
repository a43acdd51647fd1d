// SPDX-License-Identifier: Apache-2.0
// Schedules that fit a loader with workers.
#pragma once

#include <cstdint>

#include "harness/rule.h"

namespace stepbench::loader {

// Windows that fit the loader, whose workers deliver in turns: `active` becomes a multiple of
// loader.num_workers and at least `turns` times it, and the warm-up lasts until the queue stands as
// it will. Amends schedule.* alone, which is no part of a case's identity. --smoke is exempt.
void fit_schedule(std::int64_t turns, ResolvedCase& resolved, const RuleFacts& facts,
                  RuleSink& sink);

// As rules of `loader`, and of steps that do more than take batches: those wait for few of them.
// The worker answers them in `check`, for a controller of another build.
void fit_loader_schedule(ResolvedCase& resolved, const RuleFacts& facts, RuleSink& sink);
void fit_step_schedule(ResolvedCase& resolved, const RuleFacts& facts, RuleSink& sink);

}  // namespace stepbench::loader
