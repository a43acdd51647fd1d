// SPDX-License-Identifier: Apache-2.0
#include "workloads/catalogue/sections.h"

namespace stepbench {

Section optimizer_section() { return {.name = "optimizer", .doc = ""}; }

}  // namespace stepbench
