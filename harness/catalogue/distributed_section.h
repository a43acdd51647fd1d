// SPDX-License-Identifier: Apache-2.0
// The section `distributed` of an experiment.
#pragma once

#include "harness/catalogue/catalogue.h"

namespace stepbench::catalogue {

// How many ranks a launch has, what starts them, and how a training step of this project comes to
// the gradients of all of them.
[[nodiscard]] Section distributed_section();

}  // namespace stepbench::catalogue
