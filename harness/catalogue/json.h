// SPDX-License-Identifier: Apache-2.0
// The catalogue as JSON: the output of `WORKER describe`, which workers in other languages may
// print too. And the JSON Schema of the YAML files that it allows, for editors. Pure; any thread.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "harness/catalogue/catalogue.h"

namespace stepbench::catalogue {

inline constexpr int kCatalogueVersion = 1;

// Omits fields at their defaults; equal catalogues give equal text.
[[nodiscard]] std::string to_json(const Catalogue& catalogue);

// Unknown fields are ignored. Missing sections of the harness are added, so that a foreign worker
// only describes its own. Throws ConfigError{where: "SOURCE: /sections/2/options/0/type", ...} for
// malformed text and for a catalogue that validate() rejects with the names in `taken`.
[[nodiscard]] Catalogue catalogue_from_json(std::string_view text, const std::string& source,
                                            std::span<const Metric> taken = {});

// Changes when any option, variant, phase or metric changes.
[[nodiscard]] std::string catalogue_digest(const Catalogue& catalogue);

// Returns a JSON Schema (draft 2020-12) of the YAML files that this catalogue allows: descriptions,
// defaults, ranges and choices. It accepts whatever the planner accepts; `stepbench plan` checks
// rules between options.
[[nodiscard]] std::string json_schema(const Catalogue& catalogue);

}  // namespace stepbench::catalogue
