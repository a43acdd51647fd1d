// SPDX-License-Identifier: Apache-2.0
// The section `profile` of an experiment.
#pragma once

#include "harness/catalogue/catalogue.h"

namespace stepbench::catalogue {

// Contents of the extra, profiled launch of a case. Context: not part of a case's identity.
[[nodiscard]] Section profile_section();

}  // namespace stepbench::catalogue
