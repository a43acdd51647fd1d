// SPDX-License-Identifier: Apache-2.0
#include "harness/ops/call_tree.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <tuple>

#include "harness/ops/op_tree.h"

namespace stepbench::ops {
namespace {

constexpr std::uint32_t kNoFold = kNoIndex;

// A phase of one step, clipped to the step's node.
struct PhaseSpan {
  std::int64_t start_ns = 0;
  std::int64_t end_ns = 0;
  std::uint32_t fold = kNoFold;
};

struct Fold {
  FoldedCall row = {};
  std::uint32_t parent = kNoFold;
  std::vector<std::uint32_t> children = {};
};

class CallFolder {
 public:
  CallFolder(const OpLog& log, const OpTree& tree, std::span<const std::int64_t> self_device_ns)
      : log_(log), tree_(tree), self_device_ns_(self_device_ns) {
    for (const StepMark& mark : log.marks) {
      if (mark.phase != kNoIndex) marks_.push_back(&mark);
    }
    std::stable_sort(marks_.begin(), marks_.end(), [](const StepMark* a, const StepMark* b) {
      return a->start_ns < b->start_ns;
    });
  }

  std::vector<Fold> fold() {
    const std::vector<OpNode>& nodes = tree_.nodes;
    find_counted();
    std::vector<std::int64_t> self_ns(nodes.size());
    for (std::size_t i = 0; i < nodes.size(); ++i) {
      if (!nodes[i].async) self_ns[i] += nodes[i].duration_ns();
      if (nodes[i].parent != kNoIndex) self_ns[nodes[i].parent] -= nodes[i].duration_ns();
    }
    fold_of_.assign(nodes.size(), kNoFold);
    for (std::size_t i = 0; i < nodes.size(); ++i) {
      if (!counted_[i]) continue;
      fold_of_[i] = child(parent_of(i), nodes[i].name, nodes[i].kind);
      FoldedCall& row = folds_[fold_of_[i]].row;
      ++row.calls;
      row.self_cpu_ns += self_ns[i];
      if (!self_device_ns_.empty()) row.self_device_ns += self_device_ns_[i];
      if (is_step(nodes[i])) open_phases(i);
    }
    for (std::size_t i = folds_.size(); i-- > 0;) {
      FoldedCall& row = folds_[i].row;
      row.cpu_ns += row.self_cpu_ns;
      row.device_ns += row.self_device_ns;
      if (folds_[i].parent == kNoFold) continue;
      FoldedCall& parent = folds_[folds_[i].parent].row;
      parent.cpu_ns += row.cpu_ns;
      parent.device_ns += row.device_ns;
    }
    return std::move(folds_);
  }

 private:
  void find_counted() {
    MarkIndex marks(log_.marks);
    std::vector<bool> in_step(tree_.nodes.size());
    for (std::size_t i = 0; i < tree_.nodes.size(); ++i) {
      in_step[i] = marks.at(tree_.nodes[i].start_ns).step >= 0;
      has_steps_ |= in_step[i];
    }
    counted_.resize(tree_.nodes.size());
    for (std::size_t i = 0; i < tree_.nodes.size(); ++i) {
      counted_[i] = !tree_.nodes[i].async && (!has_steps_ || in_step[i]);
    }
  }

  [[nodiscard]] bool is_step(const OpNode& node) const {
    return has_steps_ && node.kind == OpKind::kAnnotation && node.thread == log_.step_thread &&
           tree_.names[node.name] == kStepNode;
  }

  // Returns the parent of the node's fold. Calls that begin in a phase belong to the phase.
  std::uint32_t parent_of(std::size_t i) {
    const OpNode& node = tree_.nodes[i];
    std::uint32_t parent = node.parent;
    while (parent != kNoIndex && !counted_[parent]) parent = tree_.nodes[parent].parent;
    if (parent == kNoIndex) {
      const bool is_other_thread = has_steps_ && node.thread != log_.step_thread;
      return is_other_thread ? child(kNoFold, kOtherThreadsName, OpKind::kAnnotation) : kNoFold;
    }
    if (parent != step_) return fold_of_[parent];
    const auto after = std::upper_bound(
        phases_.begin(), phases_.end(), node.start_ns,
        [](std::int64_t at_ns, const PhaseSpan& span) { return at_ns < span.start_ns; });
    if (after == phases_.begin() || node.start_ns >= std::prev(after)->end_ns) {
      return fold_of_[parent];
    }
    const std::uint32_t phase = std::prev(after)->fold;
    if (node.parent == parent) {
      folds_[phase].row.self_cpu_ns -= node.duration_ns();
      folds_[fold_of_[parent]].row.self_cpu_ns += node.duration_ns();
    }
    return phase;
  }

  // A collector that marks steps itself may begin them slightly after the loop did, so a phase
  // belongs to the step that contains most of it.
  void open_phases(std::size_t step) {
    const OpNode& node = tree_.nodes[step];
    step_ = static_cast<std::uint32_t>(step);
    phases_.clear();
    auto mark = std::partition_point(marks_.begin(), marks_.end(), [&](const StepMark* each) {
      return each->end_ns <= node.start_ns;
    });
    for (; mark != marks_.end() && (*mark)->start_ns < node.end_ns; ++mark) {
      const std::int64_t start_ns = std::max((*mark)->start_ns, node.start_ns);
      const std::int64_t end_ns = std::min((*mark)->end_ns, node.end_ns);
      if (2 * (end_ns - start_ns) < (*mark)->end_ns - (*mark)->start_ns) continue;
      const std::uint32_t fold =
          child(fold_of_[step], tree_.name_of_log[(*mark)->phase], OpKind::kAnnotation);
      FoldedCall& row = folds_[fold].row;
      ++row.calls;
      row.self_cpu_ns += end_ns - start_ns;
      folds_[fold_of_[step]].row.self_cpu_ns -= end_ns - start_ns;
      phases_.push_back({start_ns, end_ns, fold});
    }
  }

  std::uint32_t child(std::uint32_t parent, std::uint32_t name, OpKind kind) {
    const auto [at, is_new] =
        index_.try_emplace({parent, name, kind}, static_cast<std::uint32_t>(folds_.size()));
    if (is_new) {
      folds_.push_back({.row = {.name = name, .kind = kind}, .parent = parent});
      if (parent != kNoFold) folds_[parent].children.push_back(at->second);
    }
    return at->second;
  }

  const OpLog& log_;
  const OpTree& tree_;
  std::span<const std::int64_t> self_device_ns_;
  bool has_steps_ = false;
  std::vector<const StepMark*> marks_;  // phase marks, sorted by time
  std::vector<bool> counted_;           // indexed by node
  std::vector<std::uint32_t> fold_of_;  // indexed by node
  std::vector<Fold> folds_;             // parents precede their children
  std::map<std::tuple<std::uint32_t, std::uint32_t, OpKind>, std::uint32_t> index_;
  std::uint32_t step_ = kNoIndex;  // node of the step opened last
  std::vector<PhaseSpan> phases_;  // phases of that step
};

double share(std::int64_t part, std::int64_t whole) {
  return whole <= 0 ? 0 : static_cast<double>(part) / static_cast<double>(whole);
}

// Sorted by size; parents precede their children.
std::vector<std::uint32_t> by_size(const std::vector<Fold>& folds) {
  std::int64_t cpu_ns = 0;
  std::int64_t device_ns = 0;
  for (const Fold& fold : folds) {
    cpu_ns += fold.row.self_cpu_ns;
    device_ns += fold.row.self_device_ns;
  }
  std::vector<double> size(folds.size());
  for (std::size_t i = folds.size(); i-- > 0;) {
    size[i] = std::max(
        {size[i], share(folds[i].row.cpu_ns, cpu_ns), share(folds[i].row.device_ns, device_ns)});
    if (folds[i].parent != kNoFold) {
      size[folds[i].parent] = std::max(size[folds[i].parent], size[i]);
    }
  }
  std::vector<std::uint32_t> order(folds.size());
  std::iota(order.begin(), order.end(), 0U);
  std::stable_sort(order.begin(), order.end(),
                   [&](std::uint32_t a, std::uint32_t b) { return size[a] > size[b]; });
  return order;
}

// Selects the folds that keep their own row, so that these and one row per parent with omitted
// children are at most `max_rows`.
std::vector<bool> kept_folds(const std::vector<Fold>& folds, std::size_t max_rows) {
  std::vector<bool> kept(folds.size(), true);
  if (folds.size() <= max_rows) return kept;
  const std::vector<std::uint32_t> order = by_size(folds);
  for (std::size_t keep = max_rows;;) {
    std::fill(kept.begin(), kept.end(), false);
    for (std::size_t i = 0; i < keep; ++i) kept[order[i]] = true;
    std::vector<bool> cut(folds.size() + 1, false);  // last entry: the roots
    for (std::size_t i = 0; i < folds.size(); ++i) {
      const std::size_t parent = folds[i].parent == kNoFold ? folds.size() : folds[i].parent;
      if (!kept[i] && (parent == folds.size() || kept[parent])) cut[parent] = true;
    }
    const auto rows = keep + static_cast<std::size_t>(std::count(cut.begin(), cut.end(), true));
    if (rows <= max_rows || keep == 0) break;
    keep -= std::min(keep, (rows - max_rows + 1) / 2);
  }
  return kept;
}

class RowWriter {
 public:
  RowWriter(const std::vector<Fold>& folds, const std::vector<bool>& kept)
      : folds_(folds), kept_(kept) {}

  std::vector<FoldedCall> write() {
    std::vector<std::uint32_t> roots;
    for (std::size_t i = 0; i < folds_.size(); ++i) {
      if (folds_[i].parent == kNoFold) roots.push_back(static_cast<std::uint32_t>(i));
    }
    write_siblings(roots, 0);
    return std::move(rows_);
  }

 private:
  // Recursion is as deep as the calls nest: some hundred levels at most.
  void write_siblings(const std::vector<std::uint32_t>& siblings, std::int64_t depth) {
    FoldedCall others{.name = kOtherCallsName, .kind = OpKind::kAnnotation, .depth = depth};
    bool has_others = false;
    for (const std::uint32_t i : siblings) {
      const FoldedCall& row = folds_[i].row;
      if (kept_[i]) {
        rows_.push_back(row);
        rows_.back().depth = depth;
        write_siblings(folds_[i].children, depth + 1);
        continue;
      }
      has_others = true;
      others.calls += row.calls;
      others.cpu_ns = others.self_cpu_ns += row.cpu_ns;
      others.device_ns = others.self_device_ns += row.device_ns;
    }
    if (has_others) rows_.push_back(others);
  }

  const std::vector<Fold>& folds_;
  const std::vector<bool>& kept_;
  std::vector<FoldedCall> rows_;
};

}  // namespace

std::vector<FoldedCall> folded_calls(const OpLog& log, const OpTree& tree,
                                     std::span<const std::int64_t> self_device_ns,
                                     std::size_t max_rows) {
  const std::vector<Fold> folds = CallFolder(log, tree, self_device_ns).fold();
  return RowWriter(folds, kept_folds(folds, max_rows)).write();
}

std::vector<CallNode> call_tree(const OpTable& table) {
  std::vector<CallNode> nodes;
  std::map<std::tuple<std::size_t, std::uint32_t, OpKind>, std::size_t> index;
  std::vector<std::size_t> open;  // from the root to the previous row
  for (const FoldedCall& row : table.calls) {
    const auto depth = static_cast<std::size_t>(std::max<std::int64_t>(row.depth, 0));
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

}  // namespace stepbench::ops
