// SPDX-License-Identifier: Apache-2.0
// Which call of a trace encloses which (torch.profiler's tables are based on this tree), and what
// is derived from it: the op that caused device work, runtime calls and allocations, the module of
// each op, the step and phase of a moment. Refers to the trace, which must outlive it. One thread.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "harness/ops/op_log.h"
#include "harness/ops/op_table.h"
#include "harness/traces/trace.h"

namespace stepbench::traces {

struct OpNode {
  const TraceEvent* row = nullptr;
  std::uint32_t name = ops::kNoIndex;    // OpTree::names
  std::uint32_t parent = ops::kNoIndex;  // OpTree::nodes
  ops::OpKind kind = ops::OpKind::kOp;

  [[nodiscard]] bool async() const { return row->async; }  // neither parent nor children
};

// Nests by interval per thread, as torch.profiler does: a call is a child of the innermost call on
// its thread that contains it completely. An only child with its parent's name is merged into the
// parent. Bookkeeping ops that torch.profiler hides are omitted.
class OpTree {
 public:
  explicit OpTree(const Trace& trace);

  struct Place {
    std::int64_t step = -1;               // -1: outside all steps
    std::uint32_t phase = ops::kNoIndex;  // names; kNoIndex: between phases
  };
  // Non-overlapping spans, sorted by time.
  struct Mark {
    std::int64_t start_ns = 0;
    std::int64_t end_ns = 0;
    Place at = {};
  };

  [[nodiscard]] const Trace& trace() const { return trace_; }
  // Per thread by start, so that parents precede their children; asynchronous ones last.
  [[nodiscard]] const std::vector<OpNode>& nodes() const { return nodes_; }
  [[nodiscard]] const std::string& name(const OpNode& node) const { return names_[node.name]; }
  [[nodiscard]] const std::vector<std::string>& names() const { return names_; }
  [[nodiscard]] std::uint32_t name_of(const TraceEvent& event) const {
    return name_of_[event.name];
  }
  // The node of a row of the host; for a merged one, its parent's. kNoIndex: not in the tree.
  [[nodiscard]] std::uint32_t node_of(const TraceEvent& event) const;
  // The node of the op or annotation that caused device work, a wait or a call: the one that our
  // collector linked, else the innermost one around the call on its thread. kNoIndex: none.
  [[nodiscard]] std::uint32_t cause_of(const TraceEvent& event) const;
  // The call that started device work; null: unknown.
  [[nodiscard]] const TraceEvent* call_of(const TraceEvent& event) const;
  // The node of the innermost op around each of Trace::memory, both ends included.
  [[nodiscard]] std::vector<std::uint32_t> causes_of_memory() const;
  // Module of each node in Trace::texts: its own, else its parent's. A backward function and its
  // callees belong to the module of the forward op with its sequence number.
  [[nodiscard]] std::vector<std::uint32_t> modules() const;
  // Time of each node on the host without its children; of asynchronous ones, less theirs.
  [[nodiscard]] std::vector<std::int64_t> self_times() const;
  [[nodiscard]] bool has_steps() const { return !steps_.empty(); }
  [[nodiscard]] Place place(std::int64_t at_ns) const;
  // Phases of our loop ("stepbench::PHASE"); in traces without, fetches of data and the optimizer.
  [[nodiscard]] const std::vector<Mark>& phases() const { return phases_; }
  // The thread with the most steps, else with the most rows: Trace::lanes.
  [[nodiscard]] std::uint32_t step_lane() const { return step_lane_; }

 private:
  void find_step_lane();
  void read_marks();
  void nest(std::uint32_t lane, std::vector<OpNode>& async);
  void merge_only_children();
  void index_ids();
  // A step or phase that our loop wrote, not a row of a recorder.
  [[nodiscard]] bool is_own_mark(const TraceEvent& event) const;
  [[nodiscard]] bool is_node(const TraceEvent& event) const;
  [[nodiscard]] std::string_view phase_of(const TraceEvent& event) const;

  const Trace& trace_;
  bool marked_ = false;  // the recorded program marks its phases as our loop does
  std::uint32_t step_lane_ = ops::kNoIndex;
  std::vector<OpNode> nodes_;
  std::vector<std::string> names_;
  ops::StringTable texts_{names_};
  std::vector<std::uint32_t> name_of_;               // indexed as Trace::names
  std::vector<bool> omitted_;                        // indexed as Trace::names: bookkeeping
  std::vector<std::vector<std::uint32_t>> node_of_;  // by lane and row
  std::vector<std::uint32_t> node_of_id_;            // our own traces: by external id
  std::unordered_map<std::uint64_t, const TraceEvent*> calls_;  // by correlation
  std::vector<Mark> steps_;
  std::vector<Mark> phases_;
};

// Returns whether the op is omitted from tables and the tree.
[[nodiscard]] bool is_bookkeeping(std::string_view op);

}  // namespace stepbench::traces
