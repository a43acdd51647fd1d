// SPDX-License-Identifier: Apache-2.0
#include "workloads/catalogue/sections.h"

namespace stepbench {

Section data_section() { return {.name = "data", .doc = ""}; }

void check_data(ResolvedCase&, const RuleFacts&, RuleSink&) {}

}  // namespace stepbench
