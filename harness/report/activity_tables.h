// SPDX-License-Identifier: Apache-2.0
// Below an op table: kernels, runtime calls, waits for the device and memory.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "harness/json/json_text.h"
#include "harness/ops/op_table.h"
#include "harness/text/grid.h"

namespace stepbench {

struct TitledGrid {
  std::string title;
  Grid grid;
};

// Only those that hold something; each has at most `row_limit` rows (0: all).
[[nodiscard]] std::vector<TitledGrid> activity_grids(const OpTable& table, std::size_t row_limit);

// "activities": by name, kind, op and phase; "memory": the points. Into an object that is open.
void add_activities(JsonText& json, const OpTable& table);

}  // namespace stepbench
