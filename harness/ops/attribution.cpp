// SPDX-License-Identifier: Apache-2.0
#include "harness/ops/attribution.h"

#include <algorithm>
#include <unordered_map>

namespace stepbench::ops {
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

}  // namespace stepbench::ops
