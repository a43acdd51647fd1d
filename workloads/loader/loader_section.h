// SPDX-License-Identifier: Apache-2.0
// The section `loader` of the catalogue, built from the table in engines.h, and its rules.
#pragma once

#include "harness/catalogue/catalogue.h"
#include "harness/rule.h"

namespace stepbench::loader {

[[nodiscard]] Section loader_section();

// Value of loader.batch_size that null in YAML becomes: each item of the data set is a batch.
inline constexpr const char* kItemsAreBatches = "null";
[[nodiscard]] bool items_are_batches(const ResolvedCase& resolved);

// Resolves option combinations: engines without workers, joined epochs, pinned memory.
void check_loader(ResolvedCase& resolved, const RuleFacts& facts, RuleSink& sink);
// Rule of any workload: profile.stacks needs loader.engine: python.
void check_stacks(ResolvedCase& resolved, const RuleFacts& facts, RuleSink& sink);

}  // namespace stepbench::loader
