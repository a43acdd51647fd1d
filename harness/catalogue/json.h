// SPDX-License-Identifier: Apache-2.0
// The catalogue as JSON: what `WORKER describe` prints and what a worker in any language may print
// instead.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "harness/catalogue/catalogue.h"

namespace stepbench::catalogue {

inline constexpr int kCatalogueVersion = 1;

// Fields at their defaults are left out; equal catalogues give equal text.
[[nodiscard]] std::string to_json(const Catalogue& catalogue);

// Unknown fields are ignored. The harness's own sections are added when the text does not hold
// them, so that a foreign worker need only describe what is its own. Throws ConfigError{where:
// "SOURCE: /sections/2/options/0/type", ...} for malformed text and for a catalogue that validate()
// refuses with the names that are `taken`.
[[nodiscard]] Catalogue catalogue_from_json(std::string_view text, const std::string& source,
                                            std::span<const Metric> taken = {});

// Changes when any option, variant, phase or metric changes.
[[nodiscard]] std::string catalogue_digest(const Catalogue& catalogue);

}  // namespace stepbench::catalogue
