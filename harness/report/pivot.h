// SPDX-License-Identifier: Apache-2.0
// One number of each case, as rows by columns of two options. Pure; any thread.
#pragma once

#include <string>
#include <vector>

#include "harness/document/table.h"
#include "harness/estimate/case_rows.h"

namespace stepbench::report {

// The values of an option, each once: numbers by size unless `as_they_come`, else in the order in
// which they appear.
[[nodiscard]] std::vector<Value> values_in_rows(const std::vector<estimate::CaseRow>& rows,
                                                const std::string& full_name, bool as_they_come);

struct Pivot {
  std::string title;  // "samples/s by num_workers and batch_size"
  document::Table grid;
};

// `by`: two options, the rows' and the columns'. `metric`: empty for what the cases are judged by,
// whose best cells are marked. `plain`: cells for programs, in base units. Throws ConfigError at
// --pivot unless exactly one row falls into each cell.
[[nodiscard]] Pivot pivot(const std::vector<estimate::CaseRow>& rows,
                          const record::Results& results, const std::vector<std::string>& by,
                          const std::string& metric, bool plain);

}  // namespace stepbench::report
