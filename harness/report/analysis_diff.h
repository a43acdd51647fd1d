// SPDX-License-Identifier: Apache-2.0
// What `stepbench analyze NEW --diff BASE` says: what cannot be compared, what the step's time
// did, and the operators, kernels, calls and findings that changed. Pure; any thread.
#pragma once

#include <cstddef>
#include <string>

#include "harness/analyze/diff.h"
#include "harness/document/document.h"

namespace stepbench::report {

// `row_limit`: rows of each table, 0: all.
[[nodiscard]] document::Document diff_document(const analyze::TraceDiff& diff,
                                               std::size_t row_limit);
// An object of one line: schema, version, `diff`, `exit_code`.
[[nodiscard]] std::string diff_json(const analyze::TraceDiff& diff, int exit_status);

}  // namespace stepbench::report
