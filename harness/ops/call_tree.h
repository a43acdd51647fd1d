// SPDX-License-Identifier: Apache-2.0
// Calls of the profiled steps, folded by call path, for a flame graph. A node's self time and its
// children's times sum exactly to its own, for host and for device time; all roots sum to the host
// time of the steps as in module_tree.h. Pure; any thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "harness/ops/op_table.h"

namespace stepbench::ops {

inline constexpr std::size_t kMaxCallRows = 2000;
// Sums up the smallest calls of a node if there are more than are kept.
inline constexpr std::string_view kOtherCalls = "(others)";
// Root of the calls on threads other than the steps'.
inline constexpr std::string_view kOtherThreads = "(other threads)";

// Values of FoldedCall::name before it becomes an index into OpTable::strings: an index into
// OpTree::names, or one of these.
inline constexpr std::uint32_t kOtherCallsName = kNoIndex - 1;
inline constexpr std::uint32_t kOtherThreadsName = kNoIndex - 2;

// A step's children are its phases, and theirs the calls that began in them; siblings are in order
// of first call. Asynchronous events do not fit a tree and are omitted. `self_device_ns`: by node
// of the tree, empty without a device. Returns at most `max_rows` rows: those with the largest
// share of host or device time; the others of a node are folded into kOtherCalls.
[[nodiscard]] std::vector<FoldedCall> folded_calls(const OpLog& log, const OpTree& tree,
                                                   std::span<const std::int64_t> self_device_ns,
                                                   std::size_t max_rows = kMaxCallRows);

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
