// SPDX-License-Identifier: Apache-2.0
// Calls of the profiled steps, folded by call path, for a flame graph. A node's self time and its
// children's times sum exactly to its own, for host and for device time; all roots sum to the host
// time of the steps as in ops/module_tree.h. Pure; any thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "harness/ops/op_log.h"
#include "harness/ops/op_table.h"
#include "harness/traces/internal/op_tree.h"

namespace stepbench::traces {

inline constexpr std::size_t kMaxCallRows = 2000;

// A step's children are its phases, and theirs the calls that began in them; siblings are in order
// of first call. Asynchronous events do not fit a tree and are omitted. `self_device_ns`: by node
// of the tree, empty without a device. Returns at most `max_rows` rows: those with the largest
// share of host or device time; the others of a node are folded into ops::kOtherCalls.
[[nodiscard]] std::vector<ops::FoldedCall> folded_calls(
    const OpTree& tree, std::span<const std::int64_t> self_device_ns, ops::StringTable& names,
    std::size_t max_rows = kMaxCallRows);

}  // namespace stepbench::traces
