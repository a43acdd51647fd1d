// SPDX-License-Identifier: Apache-2.0
// Nesting of calls: the tree behind torch.profiler's tables. Pure.
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
  kCall,    // a CUDA runtime or driver call
  kDevice,  // a kernel, copy or set; never a node of the tree
  kMemory   // an allocator change outside all ops; never a node of the tree
};
constexpr EnumNames<5> names_of(OpKind) { return {"op", "annotation", "call", "device", "memory"}; }

// Name of all step nodes.
inline constexpr std::string_view kStepNode = "ProfilerStep*";

struct OpNode {
  static constexpr std::uint32_t kStepMark = kNoIndex - 1;  // `source` of a step without an op

  std::int64_t start_ns = 0;
  std::int64_t end_ns = 0;
  std::uint32_t name = kNoIndex;    // OpTree::names
  std::uint32_t thread = kNoIndex;  // OpLog::threads
  std::uint32_t parent = kNoIndex;  // OpTree::nodes
  std::uint32_t source = kNoIndex;  // OpLog::ops, or OpLog::activities for a call
  OpKind kind = OpKind::kOp;
  bool async = false;  // ended on another thread, or flagged: neither parent nor children

  [[nodiscard]] std::int64_t duration_ns() const { return end_ns - start_ns; }
};

// Nests by interval per thread, as torch.profiler does: a call is a child of the innermost call on
// its thread that contains it completely. An only child with its parent's name is merged into the
// parent. CUDA runtime calls count as on the thread of the op that made them. Steps appear as
// ProfilerStep#N: the collector's own, or made from the marks. Bookkeeping ops that torch.profiler
// hides are omitted.
struct OpTree {
  std::vector<OpNode> nodes;               // per thread by start: parents precede their children
  std::vector<std::uint32_t> node_of_op;   // by index of OpLog::ops; for a merged op: its parent's
  std::vector<std::string> names;          // row names: ProfilerStep#7 is ProfilerStep*
  std::vector<std::uint32_t> name_of_log;  // OpLog::names -> `names`
};

[[nodiscard]] OpTree build_op_tree(const OpLog& log);

// Returns whether the collector itself records ProfilerStep#N.
[[nodiscard]] bool has_step_annotations(const OpLog& log);

// Returns whether the op is omitted from tables and the tree.
[[nodiscard]] bool is_bookkeeping(std::string_view op);

}  // namespace stepbench::ops
