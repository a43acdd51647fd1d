// SPDX-License-Identifier: Apache-2.0
#include "harness/traces/internal/host_work.h"

#include <algorithm>
#include <functional>
#include <tuple>
#include <utility>

#include "harness/traces/internal/name_facts.h"
#include "harness/traces/internal/nesting.h"

namespace stepbench::traces {
namespace {

// Role of a name in the table.
enum class Listing : std::uint8_t { kListed, kParent, kOmitted };

struct OperatorNode {
  const TraceEvent* event = nullptr;
  std::uint32_t parent = ops::kNoIndex;
  std::uint32_t only_child = ops::kNoIndex;
  std::int32_t children = 0;
  bool merged = false;          // merged into its parent of the same name
  bool eligible_below = false;  // a descendant op is eligible
  std::int64_t children_ns = 0;
  std::int64_t calls_ns = 0;
  std::int64_t self_device_ns = 0;
  std::int64_t self_kernel_ns = 0;
  std::int64_t self_tensor_core_ns = 0;
  std::int64_t launches = 0;
  std::int64_t device_ns = 0;
  std::int64_t tensor_core_ns = 0;
};

Listing listing_of(const TraceName& name, bool annotation) {
  if (name.facts.step >= 0 || name.facts.data_wait || name.facts.optimizer) {
    return Listing::kParent;
  }
  if (annotation && !is_backend_row(name.text)) return Listing::kOmitted;
  if (name.text == "DataParallel.forward" || name.text == "DistributedDataParallel.forward") {
    return Listing::kParent;
  }
  return Listing::kListed;
}

class OperatorTable {
 public:
  OperatorTable(const Timeline& timeline, const Steps& steps)
      : timeline_(timeline),
        counted_(steps),
        rows_(timeline.trace->names.size()),
        calls_(timeline.calls_of_lanes()) {
    for (const TraceName& name : timeline.trace->names) {
      op_listing_.push_back(listing_of(name, false));
      annotation_listing_.push_back(listing_of(name, true));
      eligible_name_.push_back(is_tensor_core_eligible(name.text));
    }
  }

  void add(std::uint32_t lane) {
    build(timeline_.trace->lanes[lane]);
    for (const std::uint32_t call : calls_[lane]) give(timeline_.calls[call]);
    merge();
    sum();
  }

  std::vector<OperatorRow> finish() {
    std::vector<OperatorRow> out;
    for (std::uint32_t name = 0; name < rows_.size(); ++name) {
      if (rows_[name].calls == 0) continue;
      rows_[name].name = name;
      rows_[name].eligible = eligible_name_[name] || rows_[name].self_tensor_core_ns > 0;
      out.push_back(rows_[name]);
    }
    std::ranges::stable_sort(out, std::greater(), [](const OperatorRow& row) {
      return std::tuple(row.device_ns, row.self_host_ns);
    });
    return out;
  }

  [[nodiscard]] std::optional<double> eligible_share() const {
    if (kernel_ns_ <= 0) return std::nullopt;
    return double(eligible_kernel_ns_) / double(kernel_ns_);
  }

 private:
  [[nodiscard]] Listing listing(const TraceEvent& event) const {
    return (event.kind == EventKind::kOp ? op_listing_ : annotation_listing_)[event.name];
  }

  void build(const TraceLane& lane) {
    const Nesting rows(lane, [&](const TraceEvent& event, const TraceEvent* around) {
      if (!is_op_or_annotation(event.kind) || listing(event) == Listing::kOmitted) return false;
      // A row that extends beyond its parent is damaged and skipped.
      return around == nullptr || event.end_ns <= around->end_ns;
    });
    nodes_.clear();
    nodes_.reserve(rows.rows().size());
    for (const NestedRow& row : rows.rows()) {
      if (row.parent != ops::kNoIndex) {
        OperatorNode& outer = nodes_[row.parent];
        outer.only_child = outer.children++ == 0 ? std::uint32_t(nodes_.size()) : ops::kNoIndex;
        outer.children_ns += row.event->duration_ns();
      }
      nodes_.push_back({.event = row.event, .parent = row.parent});
    }
    first_row_ = lane.events.data();
    node_of_ = rows.at_events(lane);
  }

  // Assigns the call to the innermost node that contains it.
  void give(const CallRow& call) {
    if (call.op == nullptr) return;
    std::uint32_t at = node_of_[std::size_t(call.op - first_row_)];
    while (at != ops::kNoIndex && nodes_[at].event->end_ns < call.event->end_ns)
      at = nodes_[at].parent;
    if (at == ops::kNoIndex) return;
    OperatorNode& node = nodes_[at];
    node.calls_ns += call.event->duration_ns();
    node.self_device_ns += call.device_ns;
    node.self_kernel_ns += call.kernel_ns;
    node.self_tensor_core_ns += call.tensor_core_ns;
    node.launches += call.work;
  }

  void merge() {
    for (OperatorNode& node : nodes_) {
      if (node.merged) continue;
      while (node.children == 1) {
        OperatorNode& child = nodes_[node.only_child];
        if (child.event->name != node.event->name || child.event->kind != EventKind::kOp ||
            node.event->kind != EventKind::kOp) {
          break;
        }
        child.merged = true;
        node.children = child.children;
        node.only_child = child.only_child;
        node.children_ns = child.children_ns;
        node.calls_ns = child.calls_ns;
        node.self_device_ns = child.self_device_ns;
        node.self_kernel_ns = child.self_kernel_ns;
        node.self_tensor_core_ns = child.self_tensor_core_ns;
        node.launches = child.launches;
      }
    }
  }

  // Iterates backwards because children follow their parents.
  void sum() {
    for (std::size_t i = nodes_.size(); i-- > 0;) {
      OperatorNode& node = nodes_[i];
      if (node.merged) continue;
      node.device_ns += node.self_device_ns;
      node.tensor_core_ns += node.self_tensor_core_ns;
      std::uint32_t parent = node.parent;
      while (parent != ops::kNoIndex && nodes_[parent].merged) parent = nodes_[parent].parent;
      if (parent != ops::kNoIndex) {
        nodes_[parent].device_ns += node.device_ns;
        nodes_[parent].tensor_core_ns += node.tensor_core_ns;
      }
      const bool eligible = node.event->kind == EventKind::kOp &&
                            (eligible_name_[node.event->name] || node.self_tensor_core_ns > 0);
      if (parent != ops::kNoIndex && (eligible || node.eligible_below)) {
        nodes_[parent].eligible_below = true;
      }
      if (listing(*node.event) != Listing::kListed) continue;
      kernel_ns_ += node.self_kernel_ns;
      if (eligible && !node.eligible_below) eligible_kernel_ns_ += node.self_kernel_ns;
      OperatorRow& row = rows_[node.event->name];
      ++row.calls;
      row.host_ns += node.event->duration_ns();
      const std::int64_t self_ns = node.event->duration_ns() - node.children_ns - node.calls_ns;
      row.self_host_ns += self_ns;
      row.device_ns += node.device_ns;
      row.self_device_ns += node.self_device_ns;
      row.tensor_core_ns += node.tensor_core_ns;
      row.self_tensor_core_ns += node.self_tensor_core_ns;
      row.launches += node.launches;
      if (!counted_.at(node.event->start_ns)) continue;
      ++row.step_calls;
      row.step_self_host_ns += self_ns;
      row.step_self_device_ns += node.self_device_ns;
    }
  }

  const Timeline& timeline_;
  CountedSteps counted_;
  std::vector<OperatorRow> rows_;    // indexed by name
  std::vector<Listing> op_listing_;  // indexed by name
  std::vector<Listing> annotation_listing_;
  std::vector<bool> eligible_name_;
  std::int64_t kernel_ns_ = 0;                     // launched by all listed ops' own calls
  std::int64_t eligible_kernel_ns_ = 0;            // launched by the innermost eligible ones
  std::vector<std::vector<std::uint32_t>> calls_;  // indexed by lane
  // Of one lane.
  std::vector<OperatorNode> nodes_;  // parents precede their children
  const TraceEvent* first_row_ = nullptr;
  std::vector<std::uint32_t> node_of_;  // by row: the innermost node that holds its start
};

}  // namespace

Operators list_operators(const Timeline& timeline, const Steps& steps) {
  OperatorTable table(timeline, steps);
  const std::vector<TraceLane>& lanes = timeline.trace->lanes;
  for (std::uint32_t i = 0; i < lanes.size(); ++i) {
    if (lanes[i].kind == LaneKind::kHost) table.add(i);
  }
  std::vector<OperatorRow> rows = table.finish();
  if (rows.empty()) return {.rows = Absent{"the trace has no operators of the host"}};
  return {.rows = std::move(rows), .eligible_share = table.eligible_share()};
}

}  // namespace stepbench::traces
