// SPDX-License-Identifier: Apache-2.0
#include "workloads/catalogue/sections.h"

namespace stepbench {

Section model_section() { return {.name = "model", .doc = ""}; }

void check_model(ResolvedCase&, const RuleFacts&, RuleSink&) {}

}  // namespace stepbench
