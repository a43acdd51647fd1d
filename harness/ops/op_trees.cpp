// SPDX-License-Identifier: Apache-2.0
#include "harness/ops/op_trees.h"

#include <algorithm>
#include <array>
#include <map>
#include <string_view>
#include <tuple>
#include <unordered_map>
#include <utility>

namespace stepbench::ops {

std::vector<CallNode> call_tree(const OpTable& table) {
  std::vector<CallNode> nodes;
  std::map<std::tuple<std::size_t, std::uint32_t, OpKind>, std::size_t> index;
  std::vector<std::size_t> open;  // from the root to the previous row
  for (const FoldedCall& row : table.calls) {
    const auto depth = std::size_t(std::max<std::int64_t>(row.depth, 0));
    open.resize(std::min(depth, open.size()));
    const std::size_t parent = open.empty() ? CallNode::kNoParent : open.back();
    const auto [at, is_new] = index.try_emplace({parent, row.name, row.kind}, nodes.size());
    if (is_new) {
      nodes.push_back(
          {.name = std::string(table.text(row.name)), .kind = row.kind, .parent = parent});
    }
    open.push_back(at->second);
    CallNode& node = nodes[at->second];
    node.calls += row.calls;
    node.self_cpu_ns += row.self_cpu_ns;
    node.self_device_ns += row.self_device_ns;
  }
  for (std::size_t i = nodes.size(); i-- > 0;) {
    CallNode& node = nodes[i];
    node.cpu_ns += node.self_cpu_ns;
    node.device_ns += node.self_device_ns;
    if (node.parent == CallNode::kNoParent) continue;
    nodes[node.parent].cpu_ns += node.cpu_ns;
    nodes[node.parent].device_ns += node.device_ns;
  }
  return nodes;
}

namespace {

using NodeKind = ModuleNode::Kind;

constexpr std::string_view kWholeModel = "(model)";

ModuleCost cost_of(const OpRow& row) {
  return {.cpu_ns = row.self_cpu_ns,
          .device_ns = row.kind == OpKind::kDevice ? row.self_device_ns : 0,
          .flops = row.flops,
          .cpu_allocated_bytes = row.own_cpu_allocated_bytes,
          .device_allocated_bytes = row.own_device_allocated_bytes,
          .cpu_bytes = row.own_cpu_bytes,
          .device_bytes = row.own_device_bytes};
}

class ModuleTreeMaker {
 public:
  ModuleTreeMaker(const OpTable& table, std::size_t depth) : table_(table), depth_(depth) {}

  ModuleTree make() {
    const bool has_steps =
        std::ranges::any_of(table_.rows, [](const OpRow& row) { return row.step >= 0; });
    std::vector<const OpRow*> rows;
    for (const OpRow& row : table_.rows) {
      if (!has_steps || row.step >= 0) rows.push_back(&row);
    }
    for (const OpRow* row : rows) {
      if (row->phase == kNoIndex || phase_of_.contains(row->phase)) continue;
      phase_of_.emplace(row->phase, tree_.phases.size());
      tree_.phases.emplace_back(table_.text(row->phase));
    }
    add_node(NodeKind::kStep, "", ModuleNode::kNoParent, 0);
    for (const OpRow* row : rows) add(*row);
    add_own_ops();
    tree_.other_threads_ns = step_ns_ > 0 ? tree_.nodes.front().all.cpu_ns - step_ns_ : 0;
    return std::move(tree_);
  }

 private:
  std::size_t add_node(NodeKind kind, std::string path, std::size_t parent, std::size_t depth) {
    tree_.nodes.push_back({.kind = kind,
                           .path = std::move(path),
                           .depth = depth,
                           .parent = parent,
                           .by_phase = std::vector<ModuleCost>(tree_.phases.size() + 1)});
    own_.emplace_back(tree_.phases.size() + 1);
    return tree_.nodes.size() - 1;
  }

  std::size_t child(NodeKind kind, const std::string& path, std::size_t parent, std::size_t depth) {
    const auto [at, is_new] = index_.try_emplace({kind, path}, tree_.nodes.size());
    if (is_new) add_node(kind, path, parent, depth);
    return at->second;
  }

  // Returns the node of the module or of its deepest shown ancestor.
  std::size_t module_node(std::string_view path) {
    std::size_t node = child(NodeKind::kModule, std::string(kWholeModel), 0, 0);
    if (path == kWholeModel) return node;
    const auto dots = std::size_t(std::ranges::count(path, '.'));
    tree_.full_depth = std::max(tree_.full_depth, dots + 1);
    std::size_t end = 0;
    for (std::size_t depth = 1; depth <= depth_ && end != std::string_view::npos; ++depth) {
      end = path.find('.', depth == 1 ? 0 : end + 1);
      node = child(NodeKind::kModule, std::string(path.substr(0, end)), node, depth);
    }
    return node;
  }

  std::size_t node_of(const OpRow& row) {
    if (row.kind == OpKind::kAnnotation && table_.text(row.name) == kStepNode) {
      tree_.steps += row.calls;
      step_ns_ += row.cpu_ns;
      return child(NodeKind::kOutsideOps, "", 0, 0);
    }
    if (row.module == kNoIndex) return child(NodeKind::kNoModule, "", 0, 0);
    return module_node(table_.text(row.module));
  }

  void add(const OpRow& row) {
    tree_.device |= row.kind == OpKind::kDevice;
    const std::size_t node = node_of(row);
    // Ignores the phase of a step's own time: it is only the phase in which the step began.
    const bool outside = tree_.nodes[node].kind == NodeKind::kOutsideOps;
    const std::size_t phase =
        row.phase == kNoIndex || outside ? tree_.phases.size() : phase_of_.at(row.phase);
    const ModuleCost cost = cost_of(row);
    own_[node][phase] += cost;
    for (std::size_t at = node; at != ModuleNode::kNoParent; at = tree_.nodes[at].parent) {
      tree_.nodes[at].all += cost;
      tree_.nodes[at].by_phase[phase] += cost;
    }
  }

  // A module's own ops become a separate child, so that the children sum to the module.
  void add_own_ops() {
    const std::size_t modules = tree_.nodes.size();
    std::vector<bool> has_children(modules, false);
    for (const ModuleNode& node : tree_.nodes) {
      if (node.parent != ModuleNode::kNoParent) has_children[node.parent] = true;
    }
    for (std::size_t i = 1; i < modules; ++i) {
      ModuleCost sum;
      for (const ModuleCost& cost : own_[i]) sum += cost;
      if (!has_children[i] || sum == ModuleCost{}) continue;
      const std::size_t self =
          add_node(NodeKind::kSelf, tree_.nodes[i].path, i, tree_.nodes[i].depth + 1);
      tree_.nodes[self].all = sum;
      tree_.nodes[self].by_phase = own_[i];
    }
  }

  const OpTable& table_;
  std::size_t depth_;
  ModuleTree tree_;
  std::vector<std::vector<ModuleCost>> own_;  // by node, without its children, and phase
  std::map<std::pair<NodeKind, std::string>, std::size_t> index_;
  std::unordered_map<std::uint32_t, std::size_t> phase_of_;  // OpTable::strings -> phases
  std::int64_t step_ns_ = 0;
};

}  // namespace

ModuleCost& ModuleCost::operator+=(const ModuleCost& other) {
  cpu_ns += other.cpu_ns;
  device_ns += other.device_ns;
  flops += other.flops;
  cpu_allocated_bytes += other.cpu_allocated_bytes;
  device_allocated_bytes += other.device_allocated_bytes;
  cpu_bytes += other.cpu_bytes;
  device_bytes += other.device_bytes;
  return *this;
}

ModuleTree make_module_tree(const OpTable& table, std::size_t depth) {
  return ModuleTreeMaker(table, depth).make();
}

}  // namespace stepbench::ops
