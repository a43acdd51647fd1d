// SPDX-License-Identifier: Apache-2.0
// Tables below an operator table: kernels, runtime calls, waits for the device and memory.
#pragma once

#include <cstddef>
#include <vector>

#include "harness/document/table.h"
#include "harness/json/json_text.h"
#include "harness/ops/op_table.h"

namespace stepbench::report {

// At most `row_limit` rows each (0: all).
[[nodiscard]] std::vector<document::Table> activity_tables(const ops::OpTable& table,
                                                           std::size_t row_limit);

// Adds "activities" (by name, kind, operator and phase) and "memory" (points) to an open object.
void add_activities(json::JsonText& json, const ops::OpTable& table);

}  // namespace stepbench::report
