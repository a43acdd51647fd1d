// SPDX-License-Identifier: Apache-2.0
#include "harness/ops/op_tree.h"

#include <algorithm>
#include <array>
#include <string_view>
#include <tuple>
#include <unordered_map>

namespace stepbench::ops {
namespace {

constexpr std::string_view kStepPrefix = "ProfilerStep#";

class NameTable {
 public:
  explicit NameTable(std::vector<std::string>& names) : names_(names) {}

  std::uint32_t intern(std::string_view name) {
    const auto [at, is_new] =
        index_.try_emplace(std::string(name), static_cast<std::uint32_t>(names_.size()));
    if (is_new) names_.emplace_back(name);
    return at->second;
  }

 private:
  std::vector<std::string>& names_;
  std::unordered_map<std::string, std::uint32_t> index_;
};

// Parents before children, grouped by thread, asynchronous events last.
bool comes_before(const OpNode& a, const OpNode& b) {
  const auto key = [](const OpNode& node) {
    const bool from_mark = node.source == OpNode::kStepMark;
    return std::tuple(node.async, node.thread, node.start_ns, -node.end_ns, !from_mark,
                      node.kind == OpKind::kCall, node.source);
  };
  return key(a) < key(b);
}

void add_ops(const OpLog& log, OpTree& tree, const std::vector<bool>& excluded) {
  for (std::size_t i = 0; i < log.ops.size(); ++i) {
    const OpEvent& op = log.ops[i];
    if (excluded[op.name]) continue;
    tree.nodes.push_back(
        {.start_ns = op.start_ns,
         .end_ns = std::max(op.start_ns, op.end_ns),
         .name = tree.name_of_log[op.name],
         .thread = op.thread,
         .source = static_cast<std::uint32_t>(i),
         .kind = op.scope == OpScope::kUserScope ? OpKind::kAnnotation : OpKind::kOp,
         .async = op.async || op.thread != op.end_thread});
  }
}

void add_calls(const OpLog& log, OpTree& tree) {
  for (std::size_t i = 0; i < log.activities.size(); ++i) {
    const DeviceActivity& call = log.activities[i];
    if (!is_call(call)) continue;
    tree.nodes.push_back({.start_ns = call.start_ns,
                          .end_ns = std::max(call.start_ns, call.end_ns),
                          .name = tree.name_of_log[call.name],
                          .thread = call.op == kNoIndex ? call.thread : log.ops[call.op].thread,
                          .source = static_cast<std::uint32_t>(i),
                          .kind = OpKind::kCall});
  }
}

void add_steps(const OpLog& log, OpTree& tree, std::uint32_t any_step) {
  for (const StepMark& mark : log.marks) {
    if (mark.phase != kNoIndex) continue;
    tree.nodes.push_back({.start_ns = mark.start_ns,
                          .end_ns = mark.end_ns,
                          .name = any_step,
                          .thread = log.step_thread,
                          .source = OpNode::kStepMark,
                          .kind = OpKind::kAnnotation});
  }
}

void find_parents(std::vector<OpNode>& nodes) {
  std::vector<std::uint32_t> open;
  for (std::size_t i = 0; i < nodes.size() && !nodes[i].async; ++i) {
    OpNode& node = nodes[i];
    if (i > 0 && nodes[i - 1].thread != node.thread) open.clear();
    while (!open.empty()) {
      const OpNode& candidate = nodes[open.back()];
      if (node.start_ns < candidate.end_ns && node.end_ns <= candidate.end_ns) break;
      open.pop_back();
    }
    if (!open.empty()) node.parent = open.back();
    open.push_back(static_cast<std::uint32_t>(i));
  }
}

// Returns for each node the node that replaces it. Work attributed to a merged node counts towards
// its parent, in addition to the parent's own kernels, which torch.profiler drops in this case.
std::vector<std::uint32_t> merge_only_children(std::vector<OpNode>& nodes) {
  std::vector<std::uint32_t> into(nodes.size());
  std::vector<std::uint32_t> children(nodes.size(), 0);
  for (const OpNode& node : nodes) {
    if (node.parent != kNoIndex) ++children[node.parent];
  }
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    OpNode& node = nodes[i];
    into[i] = static_cast<std::uint32_t>(i);
    if (node.parent == kNoIndex) continue;
    node.parent = into[node.parent];
    if (nodes[node.parent].name != node.name || children[node.parent] != 1) continue;
    children[node.parent] = children[i];
    into[i] = node.parent;
  }
  return into;
}

// Removes merged nodes; `into` then holds new indices.
void compact(std::vector<OpNode>& nodes, std::vector<std::uint32_t>& into) {
  std::uint32_t kept = 0;
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    const bool is_kept = into[i] == i;
    if (nodes[i].parent != kNoIndex) nodes[i].parent = into[nodes[i].parent];
    if (is_kept) {
      nodes[kept] = nodes[i];
      into[i] = kept++;
    } else {
      into[i] = into[into[i]];
    }
  }
  nodes.resize(kept);
}

}  // namespace

bool is_bookkeeping(std::string_view op) {
  constexpr std::array<std::string_view, 8> kExcludedOps = {"[memory]",
                                                            "[OutOfMemory]",
                                                            "profiler::_record_function_enter",
                                                            "profiler::_record_function_enter_new",
                                                            "profiler::_record_function_exit",
                                                            "aten::is_leaf",
                                                            "aten::output_nr",
                                                            "aten::_version"};
  return std::find(kExcludedOps.begin(), kExcludedOps.end(), op) != kExcludedOps.end();
}

bool has_step_annotations(const OpLog& log) {
  return std::any_of(log.names.begin(), log.names.end(),
                     [](const std::string& name) { return name.starts_with(kStepPrefix); });
}

OpTree build_op_tree(const OpLog& log) {
  OpTree tree;
  NameTable names(tree.names);
  std::vector<bool> excluded;
  for (const std::string& name : log.names) {
    tree.name_of_log.push_back(names.intern(name.starts_with(kStepPrefix) ? kStepNode : name));
    excluded.push_back(is_bookkeeping(name));
  }
  tree.nodes.reserve(log.ops.size() + log.marks.size());
  if (!has_step_annotations(log)) add_steps(log, tree, names.intern(kStepNode));
  add_ops(log, tree, excluded);
  add_calls(log, tree);
  if (!std::is_sorted(tree.nodes.begin(), tree.nodes.end(), comes_before)) {
    std::sort(tree.nodes.begin(), tree.nodes.end(), comes_before);
  }
  find_parents(tree.nodes);
  std::vector<std::uint32_t> sources(tree.nodes.size(), kNoIndex);  // before the merge
  for (std::size_t i = 0; i < tree.nodes.size(); ++i) {
    const OpNode& node = tree.nodes[i];
    if (node.kind != OpKind::kCall && node.source != OpNode::kStepMark) sources[i] = node.source;
  }
  std::vector<std::uint32_t> into = merge_only_children(tree.nodes);
  compact(tree.nodes, into);
  tree.node_of_op.assign(log.ops.size(), kNoIndex);
  for (std::size_t i = 0; i < sources.size(); ++i) {
    if (sources[i] != kNoIndex) tree.node_of_op[sources[i]] = into[i];
  }
  return tree;
}

namespace {

// Key that links a forward op to its backward function.
std::uint64_t autograd_key(std::int64_t sequence, std::uint32_t thread) {
  return (static_cast<std::uint64_t>(sequence) << 16U) ^ thread;
}

std::uint32_t enclosing_op(const OpTree& tree, std::uint32_t node) {
  while (node != kNoIndex && tree.nodes[node].kind == OpKind::kCall) node = tree.nodes[node].parent;
  return node;
}

}  // namespace

std::vector<std::uint32_t> causes_of(const OpLog& log, const OpTree& tree) {
  std::vector<std::uint32_t> causes(log.activities.size(), kNoIndex);
  std::unordered_map<std::uint64_t, std::uint32_t> call_of;  // correlation -> index of activity
  for (std::size_t i = 0; i < log.activities.size(); ++i) {
    const DeviceActivity& activity = log.activities[i];
    if (activity.op != kNoIndex) causes[i] = tree.node_of_op[activity.op];
    if (is_call(activity)) call_of.emplace(activity.correlation, static_cast<std::uint32_t>(i));
  }
  for (const OpNode& node : tree.nodes) {
    if (node.kind != OpKind::kCall || causes[node.source] != kNoIndex) continue;
    causes[node.source] = enclosing_op(tree, node.parent);
  }
  for (std::size_t i = 0; i < log.activities.size(); ++i) {
    if (causes[i] != kNoIndex || is_call(log.activities[i])) continue;
    const auto call = call_of.find(log.activities[i].correlation);
    if (call != call_of.end()) causes[i] = causes[call->second];
  }
  return causes;
}

std::vector<std::uint32_t> modules_of(const OpLog& log, const OpTree& tree) {
  std::vector<std::uint32_t> modules(tree.nodes.size(), kNoIndex);
  if (log.modules.empty()) return modules;
  std::unordered_map<std::uint64_t, std::uint32_t> forward;
  const auto op_of = [&](const OpNode& node) -> const OpEvent* {
    const bool is_op = node.kind == OpKind::kOp || node.kind == OpKind::kAnnotation;
    return is_op && node.source < log.ops.size() ? &log.ops[node.source] : nullptr;
  };
  // Parents precede their children. The last op with a sequence number made the backward function.
  for (std::size_t i = 0; i < tree.nodes.size(); ++i) {
    const OpNode& node = tree.nodes[i];
    if (node.parent != kNoIndex) modules[i] = modules[node.parent];
    const OpEvent* op = op_of(node);
    if (op == nullptr) continue;
    if (op->module != kNoIndex) modules[i] = op->module;
    if (op->scope == OpScope::kFunction && op->sequence >= 0 && modules[i] != kNoIndex) {
      forward[autograd_key(op->sequence, op->thread)] = modules[i];
    }
  }
  for (std::size_t i = 0; i < tree.nodes.size(); ++i) {
    if (modules[i] != kNoIndex) continue;
    const OpNode& node = tree.nodes[i];
    const OpEvent* op = op_of(node);
    if (op != nullptr && op->scope == OpScope::kBackwardFunction && op->sequence >= 0) {
      const std::uint32_t thread = op->forward_thread == kNoIndex ? op->thread : op->forward_thread;
      const auto found = forward.find(autograd_key(op->sequence, thread));
      if (found != forward.end()) modules[i] = found->second;
    } else if (node.parent != kNoIndex) {
      modules[i] = modules[node.parent];
    }
  }
  return modules;
}

void MarkIndex::Lane::sort() {
  std::stable_sort(marks_.begin(), marks_.end(),
                   [](const StepMark& a, const StepMark& b) { return a.start_ns < b.start_ns; });
}

const StepMark* MarkIndex::Lane::at(std::int64_t time_ns) {
  if (next_ > 0 && marks_[next_ - 1].start_ns > time_ns) {  // time went backwards: another thread
    next_ = static_cast<std::size_t>(std::upper_bound(marks_.begin(), marks_.end(), time_ns,
                                                      [](std::int64_t time, const StepMark& mark) {
                                                        return time < mark.start_ns;
                                                      }) -
                                     marks_.begin());
  }
  while (next_ < marks_.size() && marks_[next_].start_ns <= time_ns) ++next_;
  if (next_ == 0) return nullptr;
  const StepMark& mark = marks_[next_ - 1];
  return time_ns < mark.end_ns ? &mark : nullptr;
}

MarkIndex::MarkIndex(const std::vector<StepMark>& marks) {
  for (const StepMark& mark : marks) (mark.phase == kNoIndex ? steps_ : phases_).add(mark);
  steps_.sort();
  phases_.sort();
}

MarkIndex::Place MarkIndex::at(std::int64_t time_ns) {
  Place place;
  if (const StepMark* step = steps_.at(time_ns)) place.step = step->index;
  if (const StepMark* phase = phases_.at(time_ns)) place.phase = phase->phase;
  return place;
}

void find_innermost_ops(OpLog& log) {
  std::vector<std::uint32_t> open;
  std::uint32_t op = 0;
  std::uint32_t thread = kNoIndex;
  for (MemoryEvent& event : log.memory) {
    if (event.thread != thread) open.clear();
    thread = event.thread;
    for (; op < log.ops.size() &&
           (log.ops[op].thread < thread ||
            (log.ops[op].thread == thread && log.ops[op].start_ns <= event.at_ns));
         ++op) {
      if (log.ops[op].thread == thread) open.push_back(op);
    }
    while (!open.empty() && log.ops[open.back()].end_ns < event.at_ns) open.pop_back();
    if (!open.empty()) event.op = open.back();
  }
}

}  // namespace stepbench::ops
