// SPDX-License-Identifier: Apache-2.0
// What editors know of our YAML files. Pure; any thread.
#pragma once

#include <string>

#include "harness/catalogue/catalogue.h"

namespace stepbench::catalogue {

// A JSON Schema (draft 2020-12) of the YAML files that this catalogue allows, for editors:
// descriptions, defaults, ranges and choices. It accepts whatever the planner accepts; rules
// between options are left to `stepbench plan`.
[[nodiscard]] std::string json_schema(const Catalogue& catalogue);

}  // namespace stepbench::catalogue
