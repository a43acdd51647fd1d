// SPDX-License-Identifier: Apache-2.0
// Which op called which, in how much time: the calls of the profiled steps, folded by the way on
// which they were reached, so that a flame view can be drawn. Of host and of device time a node's
// own and its children's sum to it exactly; all roots sum to the host time of the steps as
// module_tree.h has it. Pure; any thread.
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
// Stands for the calls of a node that take least, where there are more than are kept.
inline constexpr std::string_view kOtherCalls = "(others)";
// The root of what ran on other threads than the steps.
inline constexpr std::string_view kOtherThreads = "(other threads)";

// FoldedCall::name until it is an index into OpTable::strings: into OpTree::names, or one of these.
inline constexpr std::uint32_t kOtherCallsName = kNoIndex - 1;
inline constexpr std::uint32_t kOtherThreadsName = kNoIndex - 2;

// Below a step stand its phases, below these the calls that began in them; children in order of
// their first call. Asynchronous events have no place in a tree and are left out. `self_device_ns`:
// by node of the tree, empty without a device. At most `max_rows`: the ones with the largest share
// of host or device time, the others of a node folded into kOtherCalls.
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

// The rows of all launches of a table as one tree: equal ways are added up. A parent stands before
// its children. Empty where a file was written before there were such rows.
[[nodiscard]] std::vector<CallNode> call_tree(const OpTable& table);

}  // namespace stepbench::ops
