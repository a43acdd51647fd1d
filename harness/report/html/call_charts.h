// SPDX-License-Identifier: Apache-2.0
// The figures of one profiled case: flame view, areas by module and op, memory over time. Pure; any
// thread.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "harness/document/document.h"
#include "harness/ops/call_tree.h"
#include "harness/ops/module_tree.h"
#include "harness/ops/op_table.h"

namespace stepbench::report {

enum class OpTime : std::uint8_t { kHost, kDevice };

// Steps that the table's sums are over; 0 where none was marked.
[[nodiscard]] std::int64_t steps_in(const ops::OpTable& table);

// nullopt without such time, or without rows of calls.
[[nodiscard]] std::optional<document::Figure> flame_figure(const std::vector<ops::CallNode>& calls,
                                                           OpTime time);

// Of the modules as deep as there is room for, in each of them its ops. All areas sum to the time
// of the steps as `show --ops --by-module` has it.
[[nodiscard]] std::optional<document::Figure> treemap_figure(const ops::OpTable& table,
                                                             OpTime time);

// A line for each device. nullopt where memory was not recorded.
[[nodiscard]] std::optional<document::Figure> memory_figure(const ops::OpTable& table);

}  // namespace stepbench::report
