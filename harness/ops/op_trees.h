// SPDX-License-Identifier: Apache-2.0
// An op table as a tree: its folded calls, for a flame graph, and its cost by module of the model.
// Sums are exact: children and self add up to their parent, for host and for device time. Pure; any
// thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "harness/base/enum_names.h"
#include "harness/ops/op_table.h"

namespace stepbench::ops {

// The folded calls.

// Sums up the smallest calls of a node if there are more than are kept.
inline constexpr std::string_view kOtherCalls = "(others)";
// Root of the calls on threads other than the steps'.
inline constexpr std::string_view kOtherThreads = "(other threads)";

struct CallNode {
  static constexpr std::size_t kNoParent = std::size_t(-1);

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

// Cost of each module of the model in the profiled steps, forward and backward, including its
// children up to the step.

struct ModuleCost {
  std::int64_t cpu_ns = 0;     // self time of its ops
  std::int64_t device_ns = 0;  // kernels and copies they started
  std::int64_t flops = 0;
  // Allocations of its ops while they were the innermost of their thread.
  std::int64_t cpu_allocated_bytes = 0;
  std::int64_t device_allocated_bytes = 0;
  std::int64_t cpu_bytes = 0;  // allocated - freed
  std::int64_t device_bytes = 0;

  ModuleCost& operator+=(const ModuleCost& other);
  friend bool operator==(const ModuleCost&, const ModuleCost&) = default;
};

struct ModuleNode {
  enum class Kind : std::uint8_t {
    kStep,      // the root: all steps together
    kModule,    // including its callees; "(model)" is the whole model
    kSelf,      // own ops of a module with children
    kNoModule,  // ops outside of the model: loss, optimizer, copies
    kOutsideOps
  };
  static constexpr std::size_t kNoParent = std::size_t(-1);

  Kind kind = Kind::kModule;
  std::string path = {};  // "layer3.1.conv2"
  std::size_t depth = 0;  // number of names in the path; one more for "(self)"
  std::size_t parent = kNoParent;
  ModuleCost all = {};
  std::vector<ModuleCost> by_phase = {};  // as ModuleTree::phases; the last is outside all phases
};
constexpr EnumNames<5> names_of(ModuleNode::Kind) {
  return {"step", "module", "self", "no_module", "outside_ops"};
}

struct ModuleTree {
  std::vector<std::string> phases;  // in order of first call
  std::vector<ModuleNode> nodes;  // parents precede their children; siblings in order of first call
  std::int64_t steps = 0;
  std::size_t full_depth = 0;         // depth of the deepest module, including hidden ones
  bool device = false;                // kernels or copies were recorded
  std::int64_t other_threads_ns = 0;  // host time of ops on other threads; included in the root
};

// `depth`: maximum names in a module's path; deeper modules count as their ancestor.
[[nodiscard]] ModuleTree make_module_tree(const OpTable& table, std::size_t depth);

}  // namespace stepbench::ops
