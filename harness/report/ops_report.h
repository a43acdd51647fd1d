// SPDX-License-Identifier: Apache-2.0
// What `show --ops` prints of profiled launches: the op table, and below it kernels, runtime calls,
// waits for the device and memory. Pure; any thread.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "harness/document/table.h"
#include "harness/estimate/profiled_cases.h"
#include "harness/record/reader.h"
#include "harness/report/case_table.h"

namespace stepbench::report {

struct OpsView {
  std::string case_id = {};                // first digits of its id; empty: all cases
  std::string sort = {};                   // largest first; empty: self CUDA, else self CPU time
  std::size_t row_limit = 20;              // 0: all
  std::vector<std::string> group_by = {};  // shape, phase, module
  bool per_step = false;
  std::vector<std::string> columns = {};  // empty: all with values
};

// One table per profiled case and engine, with launches summed. Throws ConfigError naming the
// argument for an unknown column or group, or if no launch was profiled.
[[nodiscard]] std::string render_ops(const record::Results& results, const OpsView& view,
                                     Format format, const TableStyle& style);
// Table of one case for a page: the rows that take longest.
[[nodiscard]] document::Table ops_table(const estimate::ProfiledCase& profiled,
                                        const std::string& title, std::size_t row_limit);

// "num_workers=2  (native, 2 launches, recording cost: 1.40x the step)"
[[nodiscard]] std::string heading(const estimate::ProfiledCase& profiled);
// "recording cost: 1.40x the step"
[[nodiscard]] std::string recording_cost(std::optional<double> overhead, bool within_noise);

}  // namespace stepbench::report
