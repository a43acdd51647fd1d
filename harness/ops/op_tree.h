// SPDX-License-Identifier: Apache-2.0
// Which call encloses which (torch.profiler's tables are based on this tree), and what is derived
// from it: the op that caused device work, runtime calls and allocations, the module of each op,
// the step and phase of a moment. Pure; any thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
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

// For each activity, returns the node of the op or annotation that caused it; kNoIndex: none. If
// the collector linked none: the innermost op around the call on its thread and, for device work,
// the cause of the call with its correlation.
[[nodiscard]] std::vector<std::uint32_t> causes_of(const OpLog& log, const OpTree& tree);

// Index of each node's module in OpLog::modules: its own, else its parent's. A backward function
// and its callees belong to the module of the forward op with its sequence number.
[[nodiscard]] std::vector<std::uint32_t> modules_of(const OpLog& log, const OpTree& tree);

class MarkIndex {
 public:
  struct Place {
    std::int64_t step = -1;          // -1: outside all steps
    std::uint32_t phase = kNoIndex;  // OpLog::names; kNoIndex: between phases
  };

  explicit MarkIndex(const std::vector<StepMark>& marks);

  // Fastest if times are ascending.
  [[nodiscard]] Place at(std::int64_t time_ns);

 private:
  // Non-overlapping marks, sorted by time.
  class Lane {
   public:
    void add(const StepMark& mark) { marks_.push_back(mark); }
    void sort();
    [[nodiscard]] const StepMark* at(std::int64_t time_ns);

   private:
    std::vector<StepMark> marks_;
    std::size_t next_ = 0;  // the first that starts after the last queried time
  };
  Lane steps_;
  Lane phases_;
};

// Attributes allocations to ops in a log whose collector does not.

// Sets MemoryEvent::op to the innermost op of its thread open at that moment; other events keep
// theirs. Ops must be sorted by thread and start, memory events by thread and time.
void find_innermost_ops(OpLog& log);

}  // namespace stepbench::ops
