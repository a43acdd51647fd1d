// SPDX-License-Identifier: Apache-2.0
// The section `data` of the catalogue, made from the table of data_kinds.h, and its rule.
#pragma once

#include "harness/catalogue/catalogue.h"
#include "harness/rule.h"

namespace stepbench::data {

[[nodiscard]] Section data_section();

// A kind that reads no files has no page cache to bring into a state.
void check_data(ResolvedCase& resolved, const RuleFacts& facts, RuleSink& sink);

}  // namespace stepbench::data
