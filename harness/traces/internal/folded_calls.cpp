// SPDX-License-Identifier: Apache-2.0
#include "harness/traces/internal/folded_calls.h"

#include <algorithm>
#include <functional>
#include <map>
#include <numeric>
#include <tuple>
#include <utility>

#include "harness/ops/op_trees.h"

namespace stepbench::traces {
namespace {

constexpr std::uint32_t kNoFold = ops::kNoIndex;

struct Fold {
  ops::FoldedCall row = {};
  std::uint32_t parent = kNoFold;
  std::vector<std::uint32_t> children = {};
};

// A phase of one step, clipped to the step's node.
struct PhaseSpan {
  std::int64_t start_ns = 0;
  std::int64_t end_ns = 0;
  std::uint32_t fold = kNoFold;
};

class CallFolder {
 public:
  CallFolder(const OpTree& tree, ops::StringTable& names) : tree_(tree), names_(names) {}

  std::vector<Fold> fold(std::span<const std::int64_t> self_device_ns) {
    const std::vector<OpNode>& nodes = tree_.nodes();
    for (const OpNode& node : nodes) counted_.push_back(is_in_step(node));
    has_steps_ = std::ranges::find(counted_, true) != counted_.end();
    for (std::size_t i = 0; i < nodes.size(); ++i) {
      counted_[i] = !nodes[i].async() && (!has_steps_ || counted_[i]);
    }
    const std::vector<std::int64_t> self_ns = tree_.self_times();
    fold_of_.assign(nodes.size(), kNoFold);
    for (std::uint32_t i = 0; i < nodes.size(); ++i) {
      if (!counted_[i]) continue;
      fold_of_[i] = child(parent_of(i), tree_.name(nodes[i]), nodes[i].kind);
      ops::FoldedCall& row = folds_[fold_of_[i]].row;
      ++row.calls;
      row.self_cpu_ns += self_ns[i];
      if (!self_device_ns.empty()) row.self_device_ns += self_device_ns[i];
      if (is_step(nodes[i])) open_phases(i);
    }
    for (std::size_t i = folds_.size(); i-- > 0;) {
      ops::FoldedCall& row = folds_[i].row;
      row.cpu_ns += row.self_cpu_ns;
      row.device_ns += row.self_device_ns;
      if (folds_[i].parent == kNoFold) continue;
      ops::FoldedCall& parent = folds_[folds_[i].parent].row;
      parent.cpu_ns += row.cpu_ns;
      parent.device_ns += row.device_ns;
    }
    return std::move(folds_);
  }

 private:
  [[nodiscard]] bool is_in_step(const OpNode& node) const {
    return tree_.place(node.row->start_ns).step >= 0;
  }
  [[nodiscard]] bool is_step(const OpNode& node) const {
    return has_steps_ && node.kind == ops::OpKind::kAnnotation &&
           node.row->lane == tree_.step_lane() && tree_.name(node) == ops::kStepNode;
  }

  // Returns the parent of the node's fold. Calls that begin in a phase belong to the phase.
  std::uint32_t parent_of(std::uint32_t i) {
    const OpNode& node = tree_.nodes()[i];
    std::uint32_t parent = node.parent;
    while (parent != ops::kNoIndex && !counted_[parent]) parent = tree_.nodes()[parent].parent;
    if (parent == ops::kNoIndex) {
      const bool elsewhere = has_steps_ && node.row->lane != tree_.step_lane();
      return elsewhere ? child(kNoFold, ops::kOtherThreads, ops::OpKind::kAnnotation) : kNoFold;
    }
    if (parent != step_) return fold_of_[parent];
    const std::int64_t at_ns = node.row->start_ns;
    const auto after = std::ranges::upper_bound(phases_, at_ns, {}, &PhaseSpan::start_ns);
    if (after == phases_.begin() || at_ns >= std::prev(after)->end_ns) return fold_of_[parent];
    const std::uint32_t phase = std::prev(after)->fold;
    if (node.parent == parent) {
      folds_[phase].row.self_cpu_ns -= node.row->duration_ns();
      folds_[fold_of_[parent]].row.self_cpu_ns += node.row->duration_ns();
    }
    return phase;
  }

  // A collector that marks steps itself may begin them slightly after the loop did, so a phase
  // belongs to the step that contains most of it.
  void open_phases(std::uint32_t step) {
    const TraceEvent& row = *tree_.nodes()[step].row;
    step_ = step;
    phases_.clear();
    const std::vector<OpTree::Mark>& marks = tree_.phases();
    auto mark = std::ranges::partition_point(
        marks, [&](const OpTree::Mark& each) { return each.end_ns <= row.start_ns; });
    for (; mark != marks.end() && mark->start_ns < row.end_ns; ++mark) {
      const std::int64_t start_ns = std::max(mark->start_ns, row.start_ns);
      const std::int64_t end_ns = std::min(mark->end_ns, row.end_ns);
      if (2 * (end_ns - start_ns) < mark->end_ns - mark->start_ns) continue;
      const std::uint32_t fold =
          child(fold_of_[step], tree_.names()[mark->at.phase], ops::OpKind::kAnnotation);
      ++folds_[fold].row.calls;
      folds_[fold].row.self_cpu_ns += end_ns - start_ns;
      folds_[fold_of_[step]].row.self_cpu_ns -= end_ns - start_ns;
      phases_.push_back({start_ns, end_ns, fold});
    }
  }

  std::uint32_t child(std::uint32_t parent, std::string_view name, ops::OpKind kind) {
    const std::uint32_t id = names_.id(name);
    const auto [at, is_new] = index_.try_emplace({parent, id, kind}, std::uint32_t(folds_.size()));
    if (is_new) {
      folds_.push_back({.row = {.name = id, .kind = kind}, .parent = parent});
      if (parent != kNoFold) folds_[parent].children.push_back(at->second);
    }
    return at->second;
  }

  const OpTree& tree_;
  ops::StringTable& names_;
  bool has_steps_ = false;
  std::vector<bool> counted_;           // indexed by node
  std::vector<std::uint32_t> fold_of_;  // indexed by node
  std::vector<Fold> folds_;             // parents precede their children
  std::map<std::tuple<std::uint32_t, std::uint32_t, ops::OpKind>, std::uint32_t> index_;
  std::uint32_t step_ = ops::kNoIndex;  // node of the step opened last
  std::vector<PhaseSpan> phases_;       // phases of that step
};

double share(std::int64_t part, std::int64_t whole) {
  return whole <= 0 ? 0 : double(part) / double(whole);
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
    const std::uint32_t parent = folds[i].parent;
    if (parent != kNoFold) size[parent] = std::max(size[parent], size[i]);
  }
  std::vector<std::uint32_t> order(folds.size());
  std::iota(order.begin(), order.end(), 0U);
  std::ranges::stable_sort(order, std::greater(), [&](std::uint32_t i) { return size[i]; });
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
    const auto rows = keep + std::size_t(std::ranges::count(cut, true));
    if (rows <= max_rows || keep == 0) break;
    keep -= std::min(keep, (rows - max_rows + 1) / 2);
  }
  return kept;
}

struct RowWriter {
  const std::vector<Fold>& folds;
  const std::vector<bool>& kept;
  ops::StringTable& names;
  std::vector<ops::FoldedCall> rows = {};

  // Recursion is as deep as the calls nest: some hundred levels at most.
  void write_siblings(const std::vector<std::uint32_t>& siblings, std::int64_t depth) {
    ops::FoldedCall others{.kind = ops::OpKind::kAnnotation, .depth = depth};
    bool has_others = false;
    for (const std::uint32_t i : siblings) {
      const ops::FoldedCall& row = folds[i].row;
      if (kept[i]) {
        rows.push_back(row);
        rows.back().depth = depth;
        write_siblings(folds[i].children, depth + 1);
        continue;
      }
      has_others = true;
      others.calls += row.calls;
      others.cpu_ns = others.self_cpu_ns += row.cpu_ns;
      others.device_ns = others.self_device_ns += row.device_ns;
    }
    if (!has_others) return;
    others.name = names.id(ops::kOtherCalls);
    rows.push_back(others);
  }
};

}  // namespace

std::vector<ops::FoldedCall> folded_calls(const OpTree& tree,
                                          std::span<const std::int64_t> self_device_ns,
                                          ops::StringTable& names, std::size_t max_rows) {
  const std::vector<Fold> folds = CallFolder(tree, names).fold(self_device_ns);
  const std::vector<bool> kept = kept_folds(folds, max_rows);
  std::vector<std::uint32_t> roots;
  for (std::uint32_t i = 0; i < folds.size(); ++i) {
    if (folds[i].parent == kNoFold) roots.push_back(i);
  }
  RowWriter writer{folds, kept, names};
  writer.write_siblings(roots, 0);
  return std::move(writer.rows);
}

}  // namespace stepbench::traces
