// SPDX-License-Identifier: Apache-2.0
// JSON Schema of the YAML files, for editors. Pure; any thread.
#pragma once

#include <string>

#include "harness/catalogue/catalogue.h"

namespace stepbench::catalogue {

// Returns a JSON Schema (draft 2020-12) of the YAML files that this catalogue allows: descriptions,
// defaults, ranges and choices. It accepts whatever the planner accepts; `stepbench plan` checks
// rules between options.
[[nodiscard]] std::string json_schema(const Catalogue& catalogue);

}  // namespace stepbench::catalogue
