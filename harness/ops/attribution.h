// SPDX-License-Identifier: Apache-2.0
// Which op caused what: device work and runtime calls, and the module of each op. Pure.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "harness/ops/op_log.h"
#include "harness/ops/op_tree.h"

namespace stepbench {

// Fills DeviceActivity::op from DeviceActivity::external. `external_of_op[i]` is the id that was
// pushed for ops[i]. Returns how many device rows (kernels, copies, sets) stay without an op.
std::int64_t join_by_external(OpLog& log, std::span<const std::uint64_t> external_of_op);

// For each activity the node of the op or annotation that caused it; kNoIndex when there is none.
// Where the collector joined none: the innermost op around the call on its thread, and for device
// work the cause of the call with its correlation.
[[nodiscard]] std::vector<std::uint32_t> causes_of(const OpLog& log, const OpTree& tree);

// The module of each node, index into OpLog::modules: its own, else its parent's; a backward
// function and what it calls belong to the module of the forward op with its sequence number.
[[nodiscard]] std::vector<std::uint32_t> modules_of(const OpLog& log, const OpTree& tree);

}  // namespace stepbench
