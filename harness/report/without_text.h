// SPDX-License-Identifier: Apache-2.0
// Results to give to strangers. Pure; any thread.
#pragma once

#include <string>
#include <string_view>

#include "harness/catalogue/catalogue.h"

namespace stepbench::report {

// Of what `export` writes as JSON: the numbers, and of the texts those that tell of nobody:
// digests, times, words of stepbench, values that an option of `catalogue` lists, models of
// processors, versions of torch. Any other text is left out with its member: names of runs,
// experiments, hosts and people, paths, commands, variables, labels, sentences. Names of metrics,
// phases and options stay. Throws ConfigError for what is no JSON.
[[nodiscard]] std::string json_without_text(std::string_view json, const Catalogue& catalogue);

}  // namespace stepbench::report
