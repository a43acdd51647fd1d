// SPDX-License-Identifier: Apache-2.0
// Makes an experiment of one case from one with a sweep: the file's own settings, or a point of the
// sweep. Pure; any thread.
#pragma once

#include <span>
#include <string>

#include "harness/base/value.h"
#include "harness/catalogue/catalogue.h"

namespace stepbench::plan {

// Returns `text` as YAML without its sweep and comments, with settings replaced by `set` (in the
// form of --set) and then by `values`, by full name. Throws ConfigError for invalid YAML, with
// `source` as its location, and for unknown names.
[[nodiscard]] std::string fixed_experiment(const std::string& text, const std::string& source,
                                           const Catalogue& catalogue,
                                           std::span<const std::string> set, const Fields& values);

}  // namespace stepbench::plan
