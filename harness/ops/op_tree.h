// SPDX-License-Identifier: Apache-2.0
// Which call encloses which: the tree that torch.profiler's tables rest on. Pure.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "harness/base/enum_names.h"
#include "harness/ops/op_log.h"

namespace stepbench::ops {

enum class OpKind : std::uint8_t {  // written to disk by name
  kOp,
  kAnnotation,
  kCall,    // of the CUDA runtime or driver
  kDevice,  // a kernel, copy or set; never a node of the tree
  kMemory   // a change of an allocator outside all ops; never a node of the tree
};
constexpr EnumNames<5> names_of(OpKind) { return {"op", "annotation", "call", "device", "memory"}; }

// The name of every step's node.
inline constexpr std::string_view kStepNode = "ProfilerStep*";

struct OpNode {
  static constexpr std::uint32_t kStepMark = kNoIndex - 1;  // `source` of a step without an op

  std::int64_t start_ns = 0;
  std::int64_t end_ns = 0;
  std::uint32_t name = kNoIndex;    // OpTree::names
  std::uint32_t thread = kNoIndex;  // OpLog::threads
  std::uint32_t parent = kNoIndex;  // OpTree::nodes
  std::uint32_t source = kNoIndex;  // OpLog::ops, or OpLog::activities of a call
  OpKind kind = OpKind::kOp;
  bool async = false;  // ended on another thread, or said so: has neither parent nor children

  [[nodiscard]] std::int64_t duration_ns() const { return end_ns - start_ns; }
};

// Per thread by interval, as torch.profiler does: a call is the child of the innermost call of its
// thread that holds it whole. An only child with its parent's name is merged into the parent. Calls
// of the CUDA runtime count to the thread of the op that made them. Steps stand in the tree as
// ProfilerStep#N: the collector's own, or made from the marks. Bookkeeping ops that torch.profiler
// leaves out are left out.
struct OpTree {
  std::vector<OpNode> nodes;               // per thread by start: a parent before its children
  std::vector<std::uint32_t> node_of_op;   // by index of OpLog::ops; of a merged one: its parent's
  std::vector<std::string> names;          // of rows: ProfilerStep#7 is ProfilerStep*
  std::vector<std::uint32_t> name_of_log;  // index of OpLog::names -> `names`
};

[[nodiscard]] OpTree build_op_tree(const OpLog& log);

// Does the collector itself record ProfilerStep#N?
[[nodiscard]] bool has_step_annotations(const OpLog& log);

// Left out of tables and of the tree.
[[nodiscard]] bool is_bookkeeping(std::string_view op);

}  // namespace stepbench::ops
