// SPDX-License-Identifier: Apache-2.0
// Output of `stepbench analyze NEW --diff BASE`: what cannot be compared, the change of the step's
// time, and the operators, kernels, calls and findings that changed. Pure; any thread.
#pragma once

#include <cstddef>
#include <string>

#include "harness/analyze/diff.h"
#include "harness/document/document.h"

namespace stepbench::report {

// `row_limit`: rows per table, 0: all.
[[nodiscard]] document::Document diff_document(const analyze::TraceDiff& diff,
                                               std::size_t row_limit);
// A one-line object: schema, version, `diff`, `exit_code`.
[[nodiscard]] std::string diff_json(const analyze::TraceDiff& diff, int exit_status);

}  // namespace stepbench::report
