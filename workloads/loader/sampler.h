// SPDX-License-Identifier: Apache-2.0
// loader.sampler and its options, with their rule.
#pragma once

#include <vector>

#include "harness/catalogue/catalogue.h"
#include "harness/rule.h"

namespace stepbench::loader {

// The option `sampler` and the options of single samplers.
[[nodiscard]] std::vector<Option> sampler_options();

// Python's rules for shuffle and sampler, and the restrictions of iterable data sets. A sampler
// that is equivalent to `shuffle` becomes `shuffle`, so that such cases are the same case.
void check_sampler(ResolvedCase& resolved, const RuleFacts& facts, RuleSink& sink);

}  // namespace stepbench::loader
