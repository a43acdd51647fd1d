// SPDX-License-Identifier: Apache-2.0
// The section `data` of the catalogue, built from the table in data_kinds.h, and its rule.
#pragma once

#include "harness/catalogue/catalogue.h"
#include "harness/rule.h"

namespace stepbench::data {

[[nodiscard]] Section data_section();

// Kinds that read no files have no data.page_cache.
void check_data(ResolvedCase& resolved, const RuleFacts& facts, RuleSink& sink);

}  // namespace stepbench::data
