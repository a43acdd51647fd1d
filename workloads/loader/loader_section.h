// SPDX-License-Identifier: Apache-2.0
// The section `loader` of the catalogue, made from the table of engines.h, and its rule.
#pragma once

#include "harness/catalogue/catalogue.h"
#include "harness/rule.h"

namespace stepbench::loader {

[[nodiscard]] Section loader_section();

// What options mean together: engines without workers, epochs that never end, pinned memory.
void check_loader(ResolvedCase& resolved, const RuleFacts& facts, RuleSink& sink);
// Of any workload: the reading of batches is looked at where it is engine python's.
void check_stacks(ResolvedCase& resolved, const RuleFacts& facts, RuleSink& sink);

}  // namespace stepbench::loader
