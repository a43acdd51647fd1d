// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <map>
#include <string>
#include <utility>

#include "harness/report/html/call_charts.h"
#include "harness/report/html/figure.h"
#include "harness/report/html/per_step.h"
#include "harness/report/html/tree_figure.h"
#include "harness/text/numbers.h"
#include "harness/text/words.h"

namespace stepbench::report {
namespace {

constexpr std::size_t kMaxAreas = 600;  // ops in a treemap, and modules

ops::ModuleTree shown_modules(const ops::OpTable& table) {
  constexpr std::size_t kDeepest = 16;
  ops::ModuleTree tree = ops::make_module_tree(table, kDeepest);
  for (std::size_t depth = std::min(kDeepest, tree.full_depth);
       depth > 1 && tree.nodes.size() > kMaxAreas; --depth) {
    tree = ops::make_module_tree(table, depth - 1);
  }
  return tree;
}

std::size_t shown_depth(const ops::ModuleTree& tree) {
  std::size_t depth = 0;
  for (const ops::ModuleNode& node : tree.nodes) {
    if (node.kind == ops::ModuleNode::Kind::kModule) depth = std::max(depth, node.depth);
  }
  return depth;
}

std::int64_t time_of(const ops::ModuleCost& cost, OpTime time) {
  return time == OpTime::kHost ? cost.cpu_ns : cost.device_ns;
}

// The deepest shown module above an op, by its path.
std::string shown_path(std::string_view module, std::size_t depth) {
  std::size_t end = 0;
  for (std::size_t i = 0; i < depth && end != std::string_view::npos; ++i) {
    end = module.find('.', i == 0 ? 0 : end + 1);
  }
  return std::string(module.substr(0, end));
}

class Treemap {
 public:
  Treemap(const ops::OpTable& table, OpTime time)
      : table_(table),
        time_(time),
        tree_(shown_modules(table)),
        depth_(shown_depth(tree_)),
        per_step_(tree_.steps, time_of(tree_.nodes.front().all, time)) {}

  std::optional<document::Figure> make() {
    const std::int64_t all_ns = time_of(tree_.nodes.front().all, time_);
    if (all_ns <= 0) return std::nullopt;
    add_modules();
    add_ops();
    document::Figure figure{
        .title = std::string(time_ == OpTime::kHost ? "Host" : "Device") + " time by module and op",
        .alt = alt(),
        .json = tree_figure("treemap", items_),
        .note = note()};
    figure.height_px = 480;
    return figure;
  }

 private:
  using Kind = ops::ModuleNode::Kind;

  // The first depth at which there are several modules to tell apart.
  [[nodiscard]] std::size_t split_depth() const {
    for (std::size_t depth = 1; depth <= depth_; ++depth) {
      const auto modules =
          std::count_if(tree_.nodes.begin(), tree_.nodes.end(), [&](const ops::ModuleNode& node) {
            return node.kind == Kind::kModule && node.depth == depth;
          });
      if (modules > 1) return depth;
    }
    return 1;
  }

  void add_modules() {
    const std::size_t split = split_depth();
    std::size_t colours = 0;
    for (const ops::ModuleNode& node : tree_.nodes) {
      if (node.kind == Kind::kSelf) {  // its ops stand in the module itself
        place_.push_back(TreeItem::kNoParent);
        continue;
      }
      const std::string label = label_of(node);
      TreeItem item{.label = label,
                    .hover = {label == "step"     ? label
                              : node.path.empty() ? label
                                                  : node.path,
                              per_step_.time(time_of(node.all, time_))},
                    .parent = node.parent == ops::ModuleNode::kNoParent ? TreeItem::kNoParent
                                                                        : place_[node.parent],
                    .value = 0,
                    .colour = {}};
      if (node.depth == split && node.kind == Kind::kModule) {
        item.colour = series_colour(colours++ % kPartColours);
      }
      if (node.kind == Kind::kOutsideOps) {
        item.hover.emplace_back("host time of the steps in no op: Python, C++, waiting");
        item.value = milliseconds(time_of(node.all, time_));
      }
      if (node.kind == Kind::kModule) place_of_.emplace(node.path, items_.size());
      if (node.kind == Kind::kNoModule) no_module_ = items_.size();
      place_.push_back(items_.size());
      items_.push_back(std::move(item));
    }
  }

  [[nodiscard]] static std::string label_of(const ops::ModuleNode& node) {
    switch (node.kind) {
      case Kind::kStep:
        return "step";
      case Kind::kNoModule:
        return "(no module)";
      case Kind::kOutsideOps:
        return "(outside ops)";
      case Kind::kModule:
      case Kind::kSelf:
        break;
    }
    return node.path.substr(node.depth == 0 ? 0 : node.path.rfind('.') + 1);
  }

  void add_ops() {
    struct Area {
      std::size_t parent;
      std::string name;
      std::int64_t ns;
      std::int64_t calls;
    };
    std::vector<Area> areas;
    std::map<std::pair<std::size_t, std::string>, std::size_t> index;
    const bool has_steps = std::any_of(table_.rows.begin(), table_.rows.end(),
                                       [](const ops::OpRow& row) { return row.step >= 0; });
    for (const ops::OpRow& row : table_.rows) {
      if (has_steps && row.step < 0) continue;
      if (row.kind == ops::OpKind::kAnnotation && table_.text(row.name) == ops::kStepNode) continue;
      const bool device = row.kind == ops::OpKind::kDevice;
      if (device != (time_ == OpTime::kDevice)) continue;
      const std::int64_t ns = device ? row.self_device_ns : row.self_cpu_ns;
      const std::size_t parent = module_of(row);
      const auto [at, is_new] =
          index.try_emplace({parent, std::string(table_.text(row.name))}, areas.size());
      if (is_new) areas.push_back({parent, at->first.second, 0, 0});
      areas[at->second].ns += ns;
      areas[at->second].calls += row.calls;
    }
    std::stable_sort(areas.begin(), areas.end(),
                     [](const Area& a, const Area& b) { return a.ns > b.ns; });
    std::map<std::size_t, Area> others;
    for (std::size_t i = 0; i < areas.size(); ++i) {
      if (i < kMaxAreas) {
        add_area(areas[i].parent, areas[i].name, areas[i].ns, areas[i].calls);
        continue;
      }
      Area& sum =
          others.try_emplace(areas[i].parent, Area{areas[i].parent, "", 0, 0}).first->second;
      sum.ns += areas[i].ns;
      sum.calls += areas[i].calls;
      ++folded_;
    }
    for (const auto& [parent, sum] : others) {
      add_area(parent, std::string(ops::kOtherCalls), sum.ns, sum.calls);
    }
  }

  void add_area(std::size_t parent, const std::string& name, std::int64_t ns, std::int64_t calls) {
    items_.push_back({.label = name,
                      .hover = {name, per_step_.time(ns), per_step_.calls(calls)},
                      .parent = parent,
                      .value = milliseconds(ns),
                      .colour = {}});
    negative_ |= ns < 0;
  }

  [[nodiscard]] std::size_t module_of(const ops::OpRow& row) const {
    if (row.module == ops::kNoIndex) return no_module_;
    const std::string_view module = table_.text(row.module);
    auto found = place_of_.find(std::string(module));  // also "(model)"
    if (found == place_of_.end()) found = place_of_.find(shown_path(module, depth_));
    return found == place_of_.end() ? no_module_ : found->second;
  }

  [[nodiscard]] double milliseconds(std::int64_t sum_ns) const {
    return per_step_.of(sum_ns) / kNsPerMs;
  }

  [[nodiscard]] std::string alt() const {
    std::string text = "Areas: " + std::string(time_ == OpTime::kHost ? "host" : "device") +
                       " time" + per_step_.words() + ", " +
                       per_step_.time(time_of(tree_.nodes.front().all, time_)) +
                       ", split by module of the model and by op.";
    const ops::ModuleNode* most = nullptr;
    for (const ops::ModuleNode& node : tree_.nodes) {
      if (node.depth != 1 || node.kind != Kind::kModule) continue;
      if (most == nullptr || time_of(node.all, time_) > time_of(most->all, time_)) most = &node;
    }
    if (most == nullptr) return text;
    return text + " The largest module: " + most->path + ", " +
           per_step_.time(time_of(most->all, time_)) + '.';
  }

  [[nodiscard]] std::string note() const {
    std::vector<std::string> notes;
    if (tree_.full_depth == 0) {
      notes.emplace_back("No modules were recorded; `profile: {modules: true}` records them.");
    } else if (depth_ < tree_.full_depth) {
      notes.push_back("Modules deeper than " + text::counted(std::int64_t(depth_), "name") +
                      " are added up in the ones above them.");
    }
    if (folded_ > 0) {
      notes.push_back("The " + text::counted(std::int64_t(folded_), "smallest area") + " of " +
                      std::to_string(folded_ + kMaxAreas) + " are added up as (others).");
    }
    if (time_ == OpTime::kHost && tree_.beside_ns > 0) {
      notes.push_back("Of the host time " + text::duration(per_step_.of(tree_.beside_ns)) +
                      per_step_.words() + " passed on other threads, beside the step.");
    }
    if (negative_) notes.emplace_back("Times below zero, which come of rounding, are not drawn.");
    return text::join(notes, " ");
  }

  const ops::OpTable& table_;
  OpTime time_;
  ops::ModuleTree tree_;
  std::size_t depth_;
  PerStep per_step_;
  std::vector<TreeItem> items_;
  std::vector<std::size_t> place_;               // of each node of the tree
  std::map<std::string, std::size_t> place_of_;  // of modules by path
  std::size_t no_module_ = 0;
  std::size_t folded_ = 0;
  bool negative_ = false;
};

}  // namespace

std::optional<document::Figure> treemap_figure(const ops::OpTable& table, OpTime time) {
  return Treemap(table, time).make();
}

}  // namespace stepbench::report
