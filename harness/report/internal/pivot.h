// SPDX-License-Identifier: Apache-2.0
// Pivot table: one number per case, by two options. Pure; any thread.
#pragma once

#include <string>
#include <vector>

#include "harness/document/table.h"
#include "harness/estimate/case_rows.h"

namespace stepbench::report {

// Distinct values of an option: numbers by size unless `in_given_order`, else in order of
// appearance.
[[nodiscard]] std::vector<Value> values_in_rows(const std::vector<estimate::CaseRow>& rows,
                                                const std::string& full_name, bool in_given_order);

struct Pivot {
  std::string title;  // "samples/s by num_workers and batch_size"
  document::Table grid;
};

// `by`: the options of rows and columns. `metric`: empty for the ranking criterion, whose best
// cells are marked. `plain`: cells in base units, for programs. Throws ConfigError at --pivot
// unless each cell has exactly one row.
[[nodiscard]] Pivot pivot(const std::vector<estimate::CaseRow>& rows,
                          const record::Results& results, const std::vector<std::string>& by,
                          const std::string& metric, bool plain);

}  // namespace stepbench::report
