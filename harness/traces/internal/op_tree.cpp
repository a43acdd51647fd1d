// SPDX-License-Identifier: Apache-2.0
#include "harness/traces/internal/op_tree.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <numeric>
#include <utility>

namespace stepbench::traces {
namespace {

constexpr std::string_view kStepPrefix = "ProfilerStep#";
constexpr std::string_view kOwnPhase = "stepbench::";

// Links a forward op to its backward function.
std::uint64_t autograd_key(std::int64_t sequence, std::int64_t thread) {
  return (std::uint64_t(sequence) << 24U) ^ std::uint64_t(thread);
}

template <typename Visit>
void for_each_host_row(const Trace& trace, const Visit& visit) {
  for (const TraceLane& lane : trace.host_lanes()) {
    for (const TraceEvent& event : lane.events) visit(event);
  }
}

const OpTree::Mark* mark_at(const std::vector<OpTree::Mark>& marks, std::int64_t at_ns) {
  const auto after = std::ranges::upper_bound(marks, at_ns, {}, &OpTree::Mark::start_ns);
  if (after == marks.begin() || at_ns >= std::prev(after)->end_ns) return nullptr;
  return &*std::prev(after);
}

}  // namespace

OpTree::OpTree(const Trace& trace) : trace_(trace), node_of_(trace.lanes.size()) {
  for (const TraceName& name : trace.names) {
    marked_ = marked_ || name.text.starts_with(kOwnPhase);
    name_of_.push_back(texts_.id(name.text.starts_with(kStepPrefix) ? ops::kStepNode : name.text));
    omitted_.push_back(is_bookkeeping(name.text));
  }
  find_step_lane();
  read_marks();
  std::vector<OpNode> async;
  for (std::uint32_t lane = 0; lane < trace.lanes.size(); ++lane) {
    if (trace.lanes[lane].kind == LaneKind::kHost) nest(lane, async);
  }
  for (const OpNode& node : async) {
    const std::size_t row = std::size_t(node.row - trace.lanes[node.row->lane].events.data());
    node_of_[node.row->lane][row] = std::uint32_t(nodes_.size());
    nodes_.push_back(node);
  }
  merge_only_children();
  if (trace.own) index_ids();
  for_each_host_row(trace, [&](const TraceEvent& event) {
    if (is_call(event.kind) && event.correlation != 0) {
      calls_.emplace(event.correlation, &event);
    }
  });
}

bool OpTree::is_own_mark(const TraceEvent& event) const {
  if (trace_.own) return event.external == 0;
  return event.kind == EventKind::kAnnotation && trace_.name_of(event).starts_with(kOwnPhase);
}

bool OpTree::is_node(const TraceEvent& event) const {
  if (!is_op_or_annotation(event.kind)) return is_call(event.kind);
  return !omitted_[event.name] && (trace_.facts_of(event).step >= 0 || !is_own_mark(event));
}

std::string_view OpTree::phase_of(const TraceEvent& event) const {
  const std::string_view name = trace_.name_of(event);
  if (is_own_mark(event) && name.starts_with(kOwnPhase)) return name.substr(kOwnPhase.size());
  if (trace_.facts_of(event).data_wait && (trace_.own || !marked_)) return "data_wait";
  return !trace_.own && !marked_ && name.starts_with("Optimizer.step#") ? "optimizer"
                                                                        : std::string_view{};
}

void OpTree::find_step_lane() {
  std::pair<std::ptrdiff_t, std::size_t> most = {-1, 0};
  for (std::uint32_t i = 0; i < trace_.lanes.size(); ++i) {
    if (trace_.lanes[i].kind != LaneKind::kHost) continue;
    const std::vector<TraceEvent>& events = trace_.lanes[i].events;
    const auto is_worker = [](const auto& event) { return event.kind == EventKind::kWorker; };
    if (std::ranges::all_of(events, is_worker)) continue;
    const auto steps = std::ranges::count_if(events, [&](const TraceEvent& event) {
      return is_op_or_annotation(event.kind) && trace_.facts_of(event).step >= 0;
    });
    if (std::pair(steps, events.size()) <= most) continue;
    most = {steps, events.size()};
    step_lane_ = i;
  }
}

void OpTree::read_marks() {
  for_each_host_row(trace_, [&](const TraceEvent& event) {
    if (!is_op_or_annotation(event.kind)) return;
    const std::int64_t step = trace_.facts_of(event).step;
    if (step >= 0) {
      steps_.push_back({event.start_ns, event.end_ns, {.step = step}});
    } else if (const std::string_view phase = phase_of(event); !phase.empty()) {
      phases_.push_back({event.start_ns, event.end_ns, {.phase = texts_.id(phase)}});
    }
  });
  for (std::vector<Mark>* marks : {&steps_, &phases_}) {
    std::ranges::stable_sort(*marks, {}, &Mark::start_ns);
  }
}

void OpTree::nest(std::uint32_t lane, std::vector<OpNode>& async) {
  const std::vector<TraceEvent>& events = trace_.lanes[lane].events;
  node_of_[lane].assign(events.size(), ops::kNoIndex);
  std::vector<std::uint32_t> open;
  for (std::size_t i = 0; i < events.size(); ++i) {
    const TraceEvent& event = events[i];
    if (!is_node(event)) continue;
    OpNode node{.row = &event, .name = name_of_[event.name]};
    if (event.kind == EventKind::kAnnotation) node.kind = ops::OpKind::kAnnotation;
    if (is_call(event.kind)) node.kind = ops::OpKind::kCall;
    if (event.async) {
      async.push_back(node);
      continue;
    }
    while (!open.empty()) {
      const TraceEvent& outer = *nodes_[open.back()].row;
      if (event.start_ns < outer.end_ns && event.end_ns <= outer.end_ns) break;
      open.pop_back();
    }
    if (!open.empty()) node.parent = open.back();
    node_of_[lane][i] = std::uint32_t(nodes_.size());
    open.push_back(node_of_[lane][i]);
    nodes_.push_back(node);
  }
}

// Work attributed to a merged node counts towards its parent, in addition to the parent's own
// kernels, which torch.profiler drops in this case.
void OpTree::merge_only_children() {
  std::vector<std::uint32_t> into(nodes_.size());
  std::vector<std::uint32_t> children(nodes_.size());
  for (const OpNode& node : nodes_) {
    if (node.parent != ops::kNoIndex) ++children[node.parent];
  }
  for (std::uint32_t i = 0; i < nodes_.size(); ++i) {
    OpNode& node = nodes_[i];
    into[i] = i;
    if (node.parent == ops::kNoIndex) continue;
    node.parent = into[node.parent];
    if (nodes_[node.parent].name != node.name || children[node.parent] != 1) continue;
    children[node.parent] = children[i];
    into[i] = node.parent;
  }
  std::uint32_t kept = 0;
  for (std::uint32_t i = 0; i < nodes_.size(); ++i) {
    if (nodes_[i].parent != ops::kNoIndex) nodes_[i].parent = into[nodes_[i].parent];
    if (into[i] == i) {
      nodes_[kept] = nodes_[i];
      into[i] = kept++;
    } else {
      into[i] = into[into[i]];
    }
  }
  nodes_.resize(kept);
  for (std::vector<std::uint32_t>& rows : node_of_) {
    for (std::uint32_t& node : rows) {
      if (node != ops::kNoIndex) node = into[node];
    }
  }
}

// Our recorder numbers its rows from 1.
void OpTree::index_ids() {
  std::size_t rows = 0;
  for (const std::vector<std::uint32_t>& lane : node_of_) rows += lane.size();
  node_of_id_.resize(rows + 1, ops::kNoIndex);
  for_each_host_row(trace_, [&](const TraceEvent& event) {
    if (is_op_or_annotation(event.kind) && event.external <= rows)
      node_of_id_[event.external] = node_of(event);
  });
  node_of_id_.front() = ops::kNoIndex;
}

std::uint32_t OpTree::node_of(const TraceEvent& event) const {
  const std::vector<std::uint32_t>& lane = node_of_[event.lane];
  return lane.empty() ? ops::kNoIndex
                      : lane[std::size_t(&event - trace_.lanes[event.lane].events.data())];
}

const TraceEvent* OpTree::call_of(const TraceEvent& event) const {
  const auto found = calls_.find(event.correlation);
  return found == calls_.end() ? nullptr : found->second;
}

std::uint32_t OpTree::cause_of(const TraceEvent& event) const {
  const std::uint32_t linked =
      event.external < node_of_id_.size() ? node_of_id_[event.external] : ops::kNoIndex;
  if (linked != ops::kNoIndex) return linked;
  if (!is_call(event.kind)) {
    const TraceEvent* call = call_of(event);
    return call == nullptr ? ops::kNoIndex : cause_of(*call);
  }
  std::uint32_t node = node_of(event);
  while (node != ops::kNoIndex && nodes_[node].kind == ops::OpKind::kCall) {
    node = nodes_[node].parent;
  }
  return node;
}

std::vector<std::uint32_t> OpTree::causes_of_memory() const {
  struct Thread {
    std::size_t next = 0;
    std::vector<const TraceEvent*> open = {};
  };
  std::vector<Thread> threads(trace_.lanes.size());
  std::vector<std::uint32_t> causes;
  for (const TraceMemory& memory : trace_.memory) {
    auto& [next, open] = threads[memory.lane];
    const std::vector<TraceEvent>& events = trace_.lanes[memory.lane].events;
    for (; next < events.size() && events[next].start_ns <= memory.at_ns; ++next) {
      if (is_op_or_annotation(events[next].kind) && !is_own_mark(events[next]))
        open.push_back(&events[next]);
    }
    while (!open.empty() && open.back()->end_ns < memory.at_ns) open.pop_back();
    causes.push_back(open.empty() ? ops::kNoIndex : node_of(*open.back()));
  }
  return causes;
}

std::vector<std::uint32_t> OpTree::modules() const {
  std::vector<std::uint32_t> modules(nodes_.size(), ops::kNoIndex);
  std::unordered_map<std::uint64_t, std::uint32_t> forward;
  const auto is_backward = [](const OpNode& node, const OpDetail* detail) {
    return node.kind == ops::OpKind::kOp && detail != nullptr && detail->forward_thread != 0;
  };
  // The last op with a sequence number made the backward function.
  for (std::size_t i = 0; i < nodes_.size(); ++i) {
    const OpNode& node = nodes_[i];
    const OpDetail* detail = trace_.op_detail(*node.row);
    if (node.parent != ops::kNoIndex) modules[i] = modules[node.parent];
    if (detail != nullptr && detail->module != ops::kNoIndex) modules[i] = detail->module;
    if (node.kind == ops::OpKind::kOp && !is_backward(node, detail) && node.row->value >= 0 &&
        modules[i] != ops::kNoIndex) {
      forward[autograd_key(node.row->value, trace_.lane_of(*node.row).tid)] = modules[i];
    }
  }
  if (forward.empty()) return modules;
  for (std::size_t i = 0; i < nodes_.size(); ++i) {
    if (modules[i] != ops::kNoIndex) continue;
    const OpNode& node = nodes_[i];
    const OpDetail* detail = trace_.op_detail(*node.row);
    if (is_backward(node, detail) && node.row->value >= 0) {
      const auto found = forward.find(autograd_key(node.row->value, detail->forward_thread));
      if (found != forward.end()) modules[i] = found->second;
    } else if (node.parent != ops::kNoIndex) {
      modules[i] = modules[node.parent];
    }
  }
  return modules;
}

std::vector<std::int64_t> OpTree::self_times() const {
  std::vector<std::int64_t> self_ns(nodes_.size());
  for (std::size_t i = 0; i < nodes_.size(); ++i) {
    if (!nodes_[i].async()) self_ns[i] += nodes_[i].row->duration_ns();
    if (nodes_[i].parent != ops::kNoIndex)
      self_ns[nodes_[i].parent] -= nodes_[i].row->duration_ns();
  }
  return self_ns;
}

OpTree::Place OpTree::place(std::int64_t at_ns) const {
  Place place;
  if (const Mark* step = mark_at(steps_, at_ns)) place.step = step->at.step;
  if (const Mark* phase = mark_at(phases_, at_ns)) place.phase = phase->at.phase;
  return place;
}

bool is_bookkeeping(std::string_view op) {
  constexpr std::array<std::string_view, 8> kOmitted = {"[memory]",
                                                        "[OutOfMemory]",
                                                        "profiler::_record_function_enter",
                                                        "profiler::_record_function_enter_new",
                                                        "profiler::_record_function_exit",
                                                        "aten::is_leaf",
                                                        "aten::output_nr",
                                                        "aten::_version"};
  return std::ranges::find(kOmitted, op) != kOmitted.end();
}

}  // namespace stepbench::traces
