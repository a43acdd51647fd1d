// SPDX-License-Identifier: Apache-2.0
#include "workloads/catalogue/sections.h"

namespace stepbench {

Section loader_section() { return {.name = "loader", .doc = ""}; }

void check_loader(ResolvedCase&, const RuleFacts&, RuleSink&) {}

}  // namespace stepbench
