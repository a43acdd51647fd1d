// SPDX-License-Identifier: Apache-2.0
// Defaults for a handwritten case. Pure; any thread.
#pragma once

#include "harness/base/resolved_case.h"
#include "harness/catalogue/catalogue.h"

namespace stepbench::worker {

// Sets missing options to the catalogue's defaults, so that a handwritten case only needs the
// others. Cases from stepbench are complete.
void fill_defaults(ResolvedCase& resolved, const Catalogue& catalogue);

}  // namespace stepbench::worker
