// SPDX-License-Identifier: Apache-2.0
// Raw steps for other programs. One record per step, in table order of the cases, then by launch,
// cycle and step. First come `case` (0-based row of the table), `launch`, `rank` and `cycle`, then
// the columns of the samples in their order of first appearance; a launch that lacks a column has 0
// there.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "harness/estimate/case_rows.h"

namespace stepbench::report {

struct SampleTable {
  std::vector<std::string> columns;
  std::vector<std::vector<std::int64_t>> values;  // one for each column, of equal length
  std::vector<std::string> case_ids;              // by the number in column `case`
};

// Of measured launches. With `columns`: those beside the four keys, in that order; throws
// ConfigError naming an unknown one and the nearest known.
[[nodiscard]] SampleTable sample_table(std::span<const estimate::CaseRow> rows,
                                       const std::vector<std::string>& columns);

[[nodiscard]] std::string samples_csv(const SampleTable& table);  // with case_id beside `case`
// {"case_ids":[…],"sources":{name:clock},"columns":{name:[…]}}; `definitions`: of the results.
[[nodiscard]] std::string samples_json(const SampleTable& table,
                                       std::span<const Metric> definitions = {});
// numpy's .npy, version 1.0: a structured array of int64 fields named as the columns.
[[nodiscard]] std::string samples_npy(const SampleTable& table);

}  // namespace stepbench::report
