// SPDX-License-Identifier: Apache-2.0
// The harness's own sections, among them `distributed` and `profile`. Workloads add theirs in a
// catalogue of their own.
#pragma once

#include "harness/catalogue/catalogue.h"

namespace stepbench::catalogue {

// The number of ranks of a launch, their launcher, and the gradient exchange between them.
[[nodiscard]] Section distributed_section();

// Contents of the extra, profiled launch of a case. Context: not part of a case's identity.
[[nodiscard]] Section profile_section();

}  // namespace stepbench::catalogue
