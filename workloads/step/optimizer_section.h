// SPDX-License-Identifier: Apache-2.0
// The section `optimizer` of the catalogue. Torch-free; optimizer.cpp has the same names with the
// functions that make them.
#pragma once

#include "harness/catalogue/catalogue.h"

namespace stepbench::step {

[[nodiscard]] Section optimizer_section();

}  // namespace stepbench::step
