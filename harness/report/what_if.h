// SPDX-License-Identifier: Apache-2.0
// What other numbers of workers would give, in words, with how far such words were off where they
// could be held against what was measured. Pure; any thread.
#pragma once

#include <string>

#include "harness/record/reader.h"

namespace stepbench::report {

// `asked`: "num_workers=4,6". Throws ConfigError{--what-if} for another option, no number, and
// results that tell too little of their loaders.
[[nodiscard]] std::string what_if_text(const record::Results& results, const std::string& asked);

}  // namespace stepbench::report
