// SPDX-License-Identifier: Apache-2.0
// Defaults for a case that was written by hand. Pure; any thread.
#pragma once

#include "harness/base/resolved_case.h"
#include "harness/catalogue/catalogue.h"

namespace stepbench::worker {

// Options that the case does not name get the catalogue's defaults, so that a case written by hand
// need only hold what differs. Cases from stepbench are complete.
void fill_defaults(ResolvedCase& resolved, const Catalogue& catalogue);

}  // namespace stepbench::worker
