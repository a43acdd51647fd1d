// SPDX-License-Identifier: Apache-2.0
// The section `loader` of the catalogue, from the table of engines.h, with loader.sampler and its
// options, and their rules.
#pragma once

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

}  // namespace stepbench::loader
