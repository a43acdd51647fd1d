// SPDX-License-Identifier: Apache-2.0
#include "harness/traces/internal/operators.h"

#include <algorithm>
#include <limits>
#include <tuple>
#include <utility>

#include "harness/traces/internal/name_facts.h"

namespace stepbench::traces {
namespace {

constexpr std::uint32_t kNoNode = std::numeric_limits<std::uint32_t>::max();

// Role of a name in the table.
enum class Listing : std::uint8_t { kListed, kParent, kOmitted };

struct OperatorNode {
  const traces::TraceEvent* event = nullptr;
  std::uint32_t parent = kNoNode;
  std::uint32_t only_child = kNoNode;
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

Listing listing_of(const traces::TraceName& name, bool annotation) {
  if (name.facts.step >= 0 || name.facts.data_wait || name.facts.optimizer) {
    return Listing::kParent;
  }
  if (annotation && !traces::is_backend_row(name.text)) return Listing::kOmitted;
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
    for (const traces::TraceName& name : timeline.trace->names) {
      op_listing_.push_back(listing_of(name, false));
      annotation_listing_.push_back(listing_of(name, true));
      eligible_name_.push_back(is_tensor_core_eligible(name.text));
    }
  }

  void add(std::uint32_t lane) {
    build(timeline_.trace->lanes[lane], calls_[lane]);
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
    std::ranges::stable_sort(out, [](const OperatorRow& a, const OperatorRow& b) {
      return std::tuple(a.device_ns, a.self_host_ns) > std::tuple(b.device_ns, b.self_host_ns);
    });
    return out;
  }

  [[nodiscard]] std::optional<double> eligible_share() const {
    if (kernel_ns_ <= 0) return std::nullopt;
    return static_cast<double>(eligible_kernel_ns_) / static_cast<double>(kernel_ns_);
  }

 private:
  [[nodiscard]] Listing listing(const traces::TraceEvent& event) const {
    return (event.kind == traces::EventKind::kOp ? op_listing_ : annotation_listing_)[event.name];
  }

  void build(const traces::TraceLane& lane, const std::vector<std::uint32_t>& calls) {
    nodes_.clear();
    std::vector<std::uint32_t> open;
    auto call = calls.begin();
    const auto close_until = [&](std::int64_t at_ns) {
      while (!open.empty() && nodes_[open.back()].event->end_ns <= at_ns) open.pop_back();
    };
    const auto take_calls = [&](const traces::TraceEvent* before) {
      for (; call != calls.end(); ++call) {
        const CallRow& made = timeline_.calls[*call];
        if (before != nullptr && !precedes(*made.event, *before)) return;
        give(made, open);
      }
    };
    for (const traces::TraceEvent& event : lane.events) {
      if (event.kind != traces::EventKind::kOp && event.kind != traces::EventKind::kAnnotation)
        continue;
      if (listing(event) == Listing::kOmitted) continue;
      take_calls(&event);
      close_until(event.start_ns);
      // A row that extends beyond its parent is damaged and skipped.
      if (!open.empty() && event.end_ns > nodes_[open.back()].event->end_ns) continue;
      const auto index = static_cast<std::uint32_t>(nodes_.size());
      const std::uint32_t parent = open.empty() ? kNoNode : open.back();
      if (parent != kNoNode) {
        OperatorNode& outer = nodes_[parent];
        outer.only_child = outer.children++ == 0 ? index : kNoNode;
        outer.children_ns += event.duration_ns();
      }
      nodes_.push_back({.event = &event, .parent = parent});
      open.push_back(index);
    }
    take_calls(nullptr);
  }

  static bool precedes(const traces::TraceEvent& call, const traces::TraceEvent& op) {
    if (call.start_ns != op.start_ns) return call.start_ns < op.start_ns;
    return call.end_ns > op.end_ns;
  }

  // Assigns the call to the innermost open row that contains it.
  void give(const CallRow& row, std::vector<std::uint32_t>& open) {
    const traces::TraceEvent& call = *row.event;
    while (!open.empty() && nodes_[open.back()].event->end_ns < call.start_ns) open.pop_back();
    // Sound rows nest, so the first row examined contains the call.
    constexpr std::ptrdiff_t kMaxLooks = 64;
    const auto last = open.rbegin() + std::min(kMaxLooks, std::ssize(open));
    for (auto at = open.rbegin(); at != last; ++at) {
      OperatorNode& node = nodes_[*at];
      if (node.event->end_ns < call.end_ns) continue;
      node.calls_ns += call.duration_ns();
      node.self_device_ns += row.device_ns;
      node.self_kernel_ns += row.kernel_ns;
      node.self_tensor_core_ns += row.tensor_core_ns;
      node.launches += row.work;
      return;
    }
  }

  void merge() {
    for (OperatorNode& node : nodes_) {
      if (node.merged) continue;
      while (node.children == 1) {
        OperatorNode& child = nodes_[node.only_child];
        if (child.event->name != node.event->name || child.event->kind != traces::EventKind::kOp ||
            node.event->kind != traces::EventKind::kOp) {
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
      while (parent != kNoNode && nodes_[parent].merged) parent = nodes_[parent].parent;
      if (parent != kNoNode) {
        nodes_[parent].device_ns += node.device_ns;
        nodes_[parent].tensor_core_ns += node.tensor_core_ns;
      }
      const bool eligible = node.event->kind == traces::EventKind::kOp &&
                            (eligible_name_[node.event->name] || node.self_tensor_core_ns > 0);
      if (parent != kNoNode && (eligible || node.eligible_below)) {
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
  std::vector<OperatorNode> nodes_;                // nodes of one lane
};

}  // namespace

Operators list_operators(const Timeline& timeline, const Steps& steps) {
  OperatorTable table(timeline, steps);
  const std::vector<traces::TraceLane>& lanes = timeline.trace->lanes;
  for (std::uint32_t i = 0; i < lanes.size(); ++i) {
    if (lanes[i].kind == traces::LaneKind::kHost) table.add(i);
  }
  std::vector<OperatorRow> rows = table.finish();
  if (rows.empty()) {
    return {.rows = ValueOrReason<std::vector<OperatorRow>>::absent(
                "the trace has no operators of the host")};
  }
  return {.rows = std::move(rows), .eligible_share = table.eligible_share()};
}

}  // namespace stepbench::traces
