// SPDX-License-Identifier: Apache-2.0
// The section `loader` of the catalogue, from the table of engines.h, with loader.sampler and its
// options, their rules, and the rule that fits the schedule to the loader. Pure.
#pragma once

#include <cstdint>
#include <vector>

#include "harness/catalogue/catalogue.h"
#include "harness/rule.h"
#include "workloads/loader/loader.h"

namespace stepbench::loader {

[[nodiscard]] Section loader_section();

// Value of loader.batch_size that null in YAML becomes: each item of the data set is a batch.
inline constexpr const char* kItemsAreBatches = "null";
[[nodiscard]] bool items_are_batches(const ResolvedCase& resolved);

// The section as the engines take it. Options that do not apply to the case have their default.
[[nodiscard]] LoaderOptions loader_options(const ResolvedCase& resolved);

// Resolves option combinations: engines without workers, joined epochs, pinned memory.
void check_loader(ResolvedCase& resolved, const RuleFacts& facts, RuleSink& sink);
// Rule of any workload: profile.stacks needs loader.engine: python.
void check_stacks(ResolvedCase& resolved, const RuleFacts& facts, RuleSink& sink);

// The option `sampler` and the options of single samplers.
[[nodiscard]] std::vector<Option> sampler_options();

// Python's rules for shuffle and sampler, and the restrictions of iterable data sets. A sampler
// that is equivalent to `shuffle` becomes `shuffle`, so that such cases are the same case.
void check_sampler(ResolvedCase& resolved, const RuleFacts& facts, RuleSink& sink);

// Fits schedules to a loader with workers.

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
