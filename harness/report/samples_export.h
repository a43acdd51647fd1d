// SPDX-License-Identifier: Apache-2.0
// Raw steps for other programs. One record per step, by case in table order, launch, cycle and
// step. Columns: `case` (0-based row of the table), `launch`, `rank` and `cycle`, then the columns
// of the samples in order of first appearance; 0 for launches without a column.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "harness/estimate/case_rows.h"

namespace stepbench::report {

struct SampleTable {
  std::vector<std::string> columns;
  std::vector<std::vector<std::int64_t>> values;  // one per column, of equal length
  std::vector<std::string> case_ids;              // by number in column `case`
};

// From measured launches. With `columns`: only these after the four keys, in that order; throws
// ConfigError for an unknown one, with the nearest known name.
[[nodiscard]] SampleTable sample_table(std::span<const estimate::CaseRow> rows,
                                       const std::vector<std::string>& columns);

[[nodiscard]] std::string samples_csv(const SampleTable& table);  // with case_id beside `case`
// {"case_ids":[…],"sources":{name:clock},"columns":{name:[…]}}; `definitions`: of the results.
[[nodiscard]] std::string samples_json(const SampleTable& table,
                                       std::span<const Metric> definitions = {});
// numpy's .npy, version 1.0: a structured array of int64 fields named like the columns.
[[nodiscard]] std::string samples_npy(const SampleTable& table);

}  // namespace stepbench::report
