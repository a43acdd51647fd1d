// SPDX-License-Identifier: Apache-2.0
// The sections `transfer` and `copy` of the catalogue, the metrics of the workload transfer, and
// their rules. Torch-free.
#pragma once

#include <vector>

#include "harness/catalogue/catalogue.h"
#include "harness/rule.h"

namespace stepbench::transfer {

[[nodiscard]] Section transfer_section();
// For the workload transfer.
[[nodiscard]] Section copy_section();
[[nodiscard]] std::vector<Metric> copy_metrics();

// For steps that take batches from a loader.
void check_transfer(ResolvedCase& resolved, const RuleFacts& facts, RuleSink& sink);
// For the workload transfer.
void check_copy(ResolvedCase& resolved, const RuleFacts& facts, RuleSink& sink);

}  // namespace stepbench::transfer
