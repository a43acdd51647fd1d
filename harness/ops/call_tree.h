// SPDX-License-Identifier: Apache-2.0
// The folded calls of an op table as one tree, for a flame graph. A node's self time and its
// children's times sum exactly to its own, for host and for device time. Pure; any thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "harness/ops/op_table.h"

namespace stepbench::ops {

// Sums up the smallest calls of a node if there are more than are kept.
inline constexpr std::string_view kOtherCalls = "(others)";
// Root of the calls on threads other than the steps'.
inline constexpr std::string_view kOtherThreads = "(other threads)";

struct CallNode {
  static constexpr std::size_t kNoParent = static_cast<std::size_t>(-1);

  std::string name = {};
  OpKind kind = OpKind::kOp;
  std::size_t parent = kNoParent;
  std::int64_t calls = 0;
  std::int64_t self_cpu_ns = 0;
  std::int64_t cpu_ns = 0;
  std::int64_t self_device_ns = 0;
  std::int64_t device_ns = 0;
};

// Merges the rows of all launches of a table into one tree: equal paths are summed. Parents precede
// their children. Empty for files written before such rows existed.
[[nodiscard]] std::vector<CallNode> call_tree(const OpTable& table);

}  // namespace stepbench::ops
