// SPDX-License-Identifier: Apache-2.0
// loader.sampler and its options, with their rule.
#pragma once

#include <vector>

#include "harness/catalogue/catalogue.h"
#include "harness/rule.h"

namespace stepbench::loader {

// sampler, and what belongs to some samplers only.
[[nodiscard]] std::vector<Option> sampler_options();

// Python's rules for shuffle and sampler, and what an iterable data set forbids. A sampler that
// says the same as `shuffle` becomes that, so that such cases are one.
void check_sampler(ResolvedCase& resolved, const RuleFacts& facts, RuleSink& sink);

}  // namespace stepbench::loader
