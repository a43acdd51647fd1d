// SPDX-License-Identifier: Apache-2.0
// The section `loader` of the catalogue, made from the table of engines.h, and its rule.
#pragma once

#include "harness/catalogue/catalogue.h"
#include "harness/rule.h"

namespace stepbench::loader {

[[nodiscard]] Section loader_section();

// Of loader.batch_size: null in YAML, a keyword of its own here.
inline constexpr const char* kItemsAreBatches = "null";
[[nodiscard]] bool items_are_batches(const ResolvedCase& resolved);

// What options mean together: engines without workers, epochs that never end, pinned memory.
void check_loader(ResolvedCase& resolved, const RuleFacts& facts, RuleSink& sink);
// Of any workload: the reading of batches is looked at where it is engine python's.
void check_stacks(ResolvedCase& resolved, const RuleFacts& facts, RuleSink& sink);

}  // namespace stepbench::loader
