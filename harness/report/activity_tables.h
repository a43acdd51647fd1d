// SPDX-License-Identifier: Apache-2.0
// Below an op table: kernels, runtime calls, waits for the device and memory.
#pragma once

#include <cstddef>
#include <vector>

#include "harness/document/table.h"
#include "harness/json/json_text.h"
#include "harness/ops/op_table.h"

namespace stepbench::report {

// Each has at most `row_limit` rows (0: all).
[[nodiscard]] std::vector<document::Table> activity_tables(const ops::OpTable& table,
                                                           std::size_t row_limit);

// "activities": by name, kind, op and phase; "memory": the points. Into an object that is open.
void add_activities(json::JsonText& json, const ops::OpTable& table);

}  // namespace stepbench::report
