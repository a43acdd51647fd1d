// SPDX-License-Identifier: Apache-2.0
// The section `profile` of an experiment.
#pragma once

#include "harness/catalogue/catalogue.h"

namespace stepbench::catalogue {

// What the extra, profiled launch of a case records. Context: no part of a case's identity.
[[nodiscard]] Section profile_section();

}  // namespace stepbench::catalogue
