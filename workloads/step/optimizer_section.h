// SPDX-License-Identifier: Apache-2.0
// The section `optimizer` of the catalogue. Torch-free; optimizer.cpp has the same names with the
// functions that create them.
#pragma once

#include "harness/catalogue/catalogue.h"
#include "harness/rule.h"

namespace stepbench::step {

[[nodiscard]] Section optimizer_section();
void check_optimizer(ResolvedCase& resolved, const RuleFacts& facts, RuleSink& sink);

}  // namespace stepbench::step
