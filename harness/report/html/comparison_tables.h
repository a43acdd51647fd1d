// SPDX-License-Identifier: Apache-2.0
// Tables with explanations of a comparison. Pure; any thread.
#pragma once

#include "harness/compare/comparison.h"
#include "harness/document/document.h"
#include "harness/report/comparison_names.h"

namespace stepbench::report {

[[nodiscard]] document::Table causes_table(const compare::Comparison& comparison,
                                           const ComparisonNames& names);
[[nodiscard]] document::Table op_changes_table(const compare::Comparison& comparison,
                                               const ComparisonNames& names);
[[nodiscard]] document::Table gates_table(const compare::Comparison& comparison,
                                          const ComparisonNames& names);
[[nodiscard]] document::Table missing_table(const compare::Comparison& comparison,
                                            const ComparisonNames& names);

}  // namespace stepbench::report
