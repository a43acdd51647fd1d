// SPDX-License-Identifier: Apache-2.0
// The section `distributed` of an experiment.
#pragma once

#include "harness/catalogue/catalogue.h"

namespace stepbench::catalogue {

// The number of ranks of a launch, their launcher, and the gradient exchange between them.
[[nodiscard]] Section distributed_section();

}  // namespace stepbench::catalogue
