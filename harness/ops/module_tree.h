// SPDX-License-Identifier: Apache-2.0
// What each module of the model cost in the profiled steps, forward and backward, with all that it
// holds: an op table as a tree. Exact: of every number the children sum to their parent, and all to
// the step. Pure.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "harness/base/enum_names.h"
#include "harness/ops/op_table.h"

namespace stepbench::ops {

struct ModuleCost {
  std::int64_t cpu_ns = 0;     // self time of its ops
  std::int64_t device_ns = 0;  // of the kernels and copies that they started
  std::int64_t flops = 0;
  // By its ops, each while it was the innermost one of its thread.
  std::int64_t cpu_allocated_bytes = 0;
  std::int64_t device_allocated_bytes = 0;
  std::int64_t cpu_bytes = 0;  // allocated less freed
  std::int64_t device_bytes = 0;

  ModuleCost& operator+=(const ModuleCost& other);
  friend bool operator==(const ModuleCost&, const ModuleCost&) = default;
};

struct ModuleNode {
  enum class Kind : std::uint8_t {
    kStep,      // the root: all of the steps
    kModule,    // with what it calls; "(model)" is the whole model
    kSelf,      // of a module with children: its own ops
    kNoModule,  // ops outside the model: loss, optimizer, copies
    kOutsideOps
  };
  static constexpr std::size_t kNoParent = static_cast<std::size_t>(-1);

  Kind kind = Kind::kModule;
  std::string path = {};  // "layer3.1.conv2"
  std::size_t depth = 0;  // of a path: how many names it has; of "(self)" one more
  std::size_t parent = kNoParent;
  ModuleCost all = {};
  std::vector<ModuleCost> by_phase = {};  // as ModuleTree::phases, then what lies in no phase
};
constexpr EnumNames<5> names_of(ModuleNode::Kind) {
  return {"step", "module", "self", "no_module", "outside_ops"};
}

struct ModuleTree {
  std::vector<std::string> phases;  // by first call
  std::vector<ModuleNode> nodes;    // a parent before its children; these in order of first call
  std::int64_t steps = 0;
  std::size_t full_depth = 0;  // of the deepest module, shown or not
  bool device = false;         // kernels or copies were recorded
  std::int64_t beside_ns = 0;  // host time of ops on other threads: the root holds it too
};

// Modules of at most `depth` names; deeper ones count to these.
[[nodiscard]] ModuleTree make_module_tree(const OpTable& table, std::size_t depth);

}  // namespace stepbench::ops
