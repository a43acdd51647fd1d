// SPDX-License-Identifier: Apache-2.0
// An experiment of one case made from one with a sweep: the file's own settings, or a point of it.
// Pure; any thread.
#pragma once

#include <span>
#include <string>

#include "harness/base/value.h"
#include "harness/catalogue/catalogue.h"

namespace stepbench::plan {

// `text` as YAML again, without its sweep and its comments, with each of `set` (as --set has them)
// and then each of `values`, by full name, in place of what it says. Throws ConfigError for what
// is no YAML, which errors call `source`, and for names that are none.
[[nodiscard]] std::string fixed_experiment(const std::string& text, const std::string& source,
                                           const Catalogue& catalogue,
                                           std::span<const std::string> set, const Fields& values);

}  // namespace stepbench::plan
