// SPDX-License-Identifier: Apache-2.0
#include "workloads/catalogue/sections.h"

namespace stepbench {

Section transfer_section() { return {.name = "transfer", .doc = ""}; }

}  // namespace stepbench
