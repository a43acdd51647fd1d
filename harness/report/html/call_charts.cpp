// SPDX-License-Identifier: Apache-2.0
#include "harness/report/html/call_charts.h"

#include <algorithm>
#include <map>
#include <string>
#include <utility>

#include "harness/report/html/figure.h"
#include "harness/report/html/tree_figure.h"
#include "harness/text/numbers.h"
#include "harness/text/words.h"

namespace stepbench {
namespace {

constexpr std::size_t kMaxAreas = 600;   // ops in a treemap, and modules
constexpr std::size_t kPartColours = 5;  // without the grey one
constexpr double kBytesPerMib = 0x1p20;

std::string_view words_of(OpTime time) { return time == OpTime::kHost ? "host" : "device"; }

// Sums of all steps, told for one step where there are steps.
class PerStep {
 public:
  PerStep(std::int64_t steps, std::int64_t whole_ns)
      : steps_(steps), whole_ns_(static_cast<double>(whole_ns)) {}

  [[nodiscard]] double of(std::int64_t sum) const {
    return static_cast<double>(sum) / static_cast<double>(std::max<std::int64_t>(steps_, 1));
  }
  [[nodiscard]] std::string words() const { return steps_ > 0 ? " per step" : " in all"; }
  // "1.23 ms per step, 12.3 % of all"
  [[nodiscard]] std::string time(std::int64_t sum_ns) const {
    std::string text = duration(of(sum_ns)) + words();
    if (whole_ns_ > 0) text += ", " + percent_text(static_cast<double>(sum_ns) / whole_ns_);
    return text;
  }
  [[nodiscard]] std::string calls(std::int64_t count) const {
    return significant(of(count)) + (steps_ > 0 ? " calls per step" : " calls");
  }

 private:
  std::int64_t steps_;
  double whole_ns_;
};

std::int64_t time_of(const CallNode& node, OpTime time) {
  return time == OpTime::kHost ? node.cpu_ns : node.device_ns;
}

std::int64_t own_time_of(const CallNode& node, OpTime time) {
  return time == OpTime::kHost ? node.self_cpu_ns : node.self_device_ns;
}

bool is_step(const CallNode& node) {
  return node.parent == CallNode::kNoParent && node.kind == OpKind::kAnnotation &&
         node.name == kStepNode;
}

// Phases have a colour each, and what is below them has it too.
std::string_view colour_of(const std::vector<CallNode>& calls, std::size_t i, std::size_t& phases) {
  const CallNode& node = calls[i];
  if (node.name == kOtherCalls || node.parent == CallNode::kNoParent) return kDimColour;
  return is_step(calls[node.parent]) ? series_colour(phases++ % kPartColours) : std::string_view();
}

std::string largest_of(const std::vector<CallNode>& calls, OpTime time, const PerStep& per_step) {
  std::map<std::string, std::int64_t> own_ns;
  for (const CallNode& node : calls) {
    if (node.kind == OpKind::kOp) own_ns[node.name] += own_time_of(node, time);
  }
  const auto most =
      std::max_element(own_ns.begin(), own_ns.end(),
                       [](const auto& a, const auto& b) { return a.second < b.second; });
  if (most == own_ns.end()) return {};
  return " The op with the most time of its own: " + most->first + ", " +
         per_step.time(most->second) + '.';
}

ModuleTree shown_modules(const OpTable& table) {
  constexpr std::size_t kDeepest = 16;
  ModuleTree tree = make_module_tree(table, kDeepest);
  for (std::size_t depth = std::min(kDeepest, tree.full_depth);
       depth > 1 && tree.nodes.size() > kMaxAreas; --depth) {
    tree = make_module_tree(table, depth - 1);
  }
  return tree;
}

std::size_t shown_depth(const ModuleTree& tree) {
  std::size_t depth = 0;
  for (const ModuleNode& node : tree.nodes) {
    if (node.kind == ModuleNode::Kind::kModule) depth = std::max(depth, node.depth);
  }
  return depth;
}

std::int64_t time_of(const ModuleCost& cost, OpTime time) {
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
  Treemap(const OpTable& table, OpTime time)
      : table_(table),
        time_(time),
        tree_(shown_modules(table)),
        depth_(shown_depth(tree_)),
        per_step_(tree_.steps, time_of(tree_.nodes.front().all, time)) {}

  std::optional<Figure> make() {
    const std::int64_t all_ns = time_of(tree_.nodes.front().all, time_);
    if (all_ns <= 0) return std::nullopt;
    add_modules();
    add_ops();
    Figure figure{
        .title = std::string(time_ == OpTime::kHost ? "Host" : "Device") + " time by module and op",
        .alt = alt(),
        .json = tree_figure("treemap", items_),
        .note = note()};
    figure.height_px = 480;
    return figure;
  }

 private:
  using Kind = ModuleNode::Kind;

  // The first depth at which there are several modules to tell apart.
  [[nodiscard]] std::size_t split_depth() const {
    for (std::size_t depth = 1; depth <= depth_; ++depth) {
      const auto modules =
          std::count_if(tree_.nodes.begin(), tree_.nodes.end(), [&](const ModuleNode& node) {
            return node.kind == Kind::kModule && node.depth == depth;
          });
      if (modules > 1) return depth;
    }
    return 1;
  }

  void add_modules() {
    const std::size_t split = split_depth();
    std::size_t colours = 0;
    for (const ModuleNode& node : tree_.nodes) {
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
                    .parent = node.parent == ModuleNode::kNoParent ? TreeItem::kNoParent
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

  [[nodiscard]] static std::string label_of(const ModuleNode& node) {
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
                                       [](const OpRow& row) { return row.step >= 0; });
    for (const OpRow& row : table_.rows) {
      if (has_steps && row.step < 0) continue;
      if (row.kind == OpKind::kAnnotation && table_.text(row.name) == kStepNode) continue;
      const bool device = row.kind == OpKind::kDevice;
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
      add_area(parent, std::string(kOtherCalls), sum.ns, sum.calls);
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

  [[nodiscard]] std::size_t module_of(const OpRow& row) const {
    if (row.module == kNoIndex) return no_module_;
    const std::string_view module = table_.text(row.module);
    auto found = place_of_.find(std::string(module));  // also "(model)"
    if (found == place_of_.end()) found = place_of_.find(shown_path(module, depth_));
    return found == place_of_.end() ? no_module_ : found->second;
  }

  [[nodiscard]] double milliseconds(std::int64_t sum_ns) const {
    return per_step_.of(sum_ns) / 1e6;
  }

  [[nodiscard]] std::string alt() const {
    std::string text = "Areas: " + std::string(words_of(time_)) + " time" + per_step_.words() +
                       ", " + per_step_.time(time_of(tree_.nodes.front().all, time_)) +
                       ", split by module of the model and by op.";
    const ModuleNode* most = nullptr;
    for (const ModuleNode& node : tree_.nodes) {
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
      notes.push_back("Modules deeper than " + counted(std::int64_t(depth_), "name") +
                      " are added up in the ones above them.");
    }
    if (folded_ > 0) {
      notes.push_back("The " + counted(std::int64_t(folded_), "smallest area") + " of " +
                      std::to_string(folded_ + kMaxAreas) + " are added up as (others).");
    }
    if (time_ == OpTime::kHost && tree_.beside_ns > 0) {
      notes.push_back("Of the host time " + duration(per_step_.of(tree_.beside_ns)) +
                      per_step_.words() + " passed on other threads, beside the step.");
    }
    if (negative_) notes.emplace_back("Times below zero, which come of rounding, are not drawn.");
    return join(notes, " ");
  }

  const OpTable& table_;
  OpTime time_;
  ModuleTree tree_;
  std::size_t depth_;
  PerStep per_step_;
  std::vector<TreeItem> items_;
  std::vector<std::size_t> place_;               // of each node of the tree
  std::map<std::string, std::size_t> place_of_;  // of modules by path
  std::size_t no_module_ = 0;
  std::size_t folded_ = 0;
  bool negative_ = false;
};

struct MemoryLine {
  std::int64_t device = -1;
  std::vector<const MemoryPoint*> points = {};
};

// Of each device and launch: within one, times rise.
std::vector<MemoryLine> memory_lines(const OpTable& table) {
  std::vector<MemoryLine> lines;
  for (const MemoryPoint& point : table.memory) {
    const bool goes_on = !lines.empty() && lines.back().device == point.device &&
                         lines.back().points.back()->at_ns <= point.at_ns;
    if (!goes_on) lines.push_back({point.device, {}});
    lines.back().points.push_back(&point);
  }
  return lines;
}

std::string device_name(std::int64_t device) {
  return device < 0 ? "host" : "device " + std::to_string(device);
}

std::vector<std::string> memory_hover(const OpTable& table, const MemoryPoint& point,
                                      const std::string& line) {
  std::vector<std::string> lines = {
      plotly_text(line + ": " + byte_text(static_cast<double>(point.allocated_bytes)) +
                  (point.peak ? ", its peak" : ""))};
  std::string where = duration(static_cast<double>(point.at_ns)) + " after the first record";
  if (point.step >= 0) where += ", step " + std::to_string(point.step);
  lines.push_back(where);
  if (point.phase != kNoIndex) lines.push_back(plotly_text(table.text(point.phase)));
  lines.push_back(point.op == kNoIndex ? "in no op" : plotly_text(table.text(point.op)));
  return lines;
}

std::string peak_text(const OpTable& table, const MemoryPoint& peak) {
  std::string text = byte_text(static_cast<double>(peak.allocated_bytes)) + " of the " +
                     device_name(peak.device) + " in " +
                     (peak.op == kNoIndex ? "no op" : std::string(table.text(peak.op)));
  if (peak.phase != kNoIndex) text += ", " + std::string(table.text(peak.phase));
  if (peak.step >= 0) text += " of step " + std::to_string(peak.step);
  return text;
}

}  // namespace

std::int64_t steps_in(const OpTable& table) { return make_module_tree(table, 0).steps; }

std::optional<Figure> flame_figure(const std::vector<CallNode>& calls, OpTime time) {
  std::int64_t all_ns = 0;
  std::int64_t steps = 0;
  std::int64_t beside_ns = 0;
  for (const CallNode& node : calls) {
    if (node.parent != CallNode::kNoParent) continue;
    all_ns += time_of(node, time);
    if (is_step(node)) steps += node.calls;
    if (node.name == kOtherThreads) beside_ns += time_of(node, time);
  }
  if (all_ns <= 0) return std::nullopt;
  const PerStep per_step(steps, all_ns);
  std::vector<TreeItem> items;
  const bool one_root = std::count_if(calls.begin(), calls.end(), [](const CallNode& node) {
                          return node.parent == CallNode::kNoParent;
                        }) == 1;
  if (!one_root) {
    items.push_back({.label = "all calls",
                     .hover = {"all calls", per_step.time(all_ns)},
                     .parent = TreeItem::kNoParent,
                     .value = 0,
                     .colour = kDimColour});
  }
  const std::size_t first = items.size();
  std::size_t phases = 0;
  std::int64_t negative_ns = 0;
  std::int64_t others = 0;
  for (std::size_t i = 0; i < calls.size(); ++i) {
    const CallNode& node = calls[i];
    const std::string name = is_step(node) ? "step" : node.name;
    std::vector<std::string> hover = {name,
                                      "with what it called: " + per_step.time(time_of(node, time))};
    hover.push_back("by itself: " + per_step.time(own_time_of(node, time)));
    if (node.calls > 0) hover.push_back(per_step.calls(node.calls));
    if (time == OpTime::kHost && node.device_ns > 0) {
      hover.push_back("device time from it: " + duration(per_step.of(node.device_ns)) +
                      per_step.words());
    }
    items.push_back({.label = name,
                     .hover = std::move(hover),
                     .parent = node.parent != CallNode::kNoParent ? node.parent + first
                               : one_root                         ? TreeItem::kNoParent
                                                                  : 0,
                     .value = per_step.of(own_time_of(node, time)) / 1e6,
                     .colour = colour_of(calls, i, phases)});
    negative_ns += std::min<std::int64_t>(own_time_of(node, time), 0);
    if (node.name == kOtherCalls) others += node.calls;
  }
  std::vector<std::string> notes;
  if (beside_ns > 0) {
    notes.push_back(duration(per_step.of(beside_ns)) + per_step.words() +
                    " passed on other threads, beside the step.");
  }
  if (others > 0) {
    notes.push_back(per_step.calls(others) +
                    " of little weight are folded into (others), sums kept.");
  }
  if (negative_ns < 0) {
    notes.emplace_back("Times below zero, which come of two clocks, are not drawn.");
  }
  Figure figure{.title = time == OpTime::kHost ? "Flame view: host time by call"
                                               : "Flame view: device time by the call it came from",
                .alt = "Nested calls of the profiled steps, " + std::string(words_of(time)) +
                       " time " + per_step.time(all_ns) + "." + largest_of(calls, time, per_step),
                .json = tree_figure("icicle", items),
                .note = join(notes, " ")};
  figure.height_px =
      static_cast<int>(std::clamp<std::size_t>(60 + 34 * levels_of(items), 300, 900));
  return figure;
}

std::optional<Figure> treemap_figure(const OpTable& table, OpTime time) {
  return Treemap(table, time).make();
}

std::optional<Figure> memory_figure(const OpTable& table) {
  const std::vector<MemoryLine> lines = memory_lines(table);
  if (lines.empty()) return std::nullopt;
  FigureJson figure;
  std::vector<std::string> peaks;
  std::map<std::int64_t, std::size_t> launches;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    const std::size_t launch = launches[lines[i].device]++;
    std::string name = device_name(lines[i].device);
    if (launch > 0) name += ", profiled launch " + std::to_string(launch + 1);
    std::vector<double> times;
    std::vector<double> levels;
    std::vector<std::string> hovers;
    std::vector<double> sizes;
    for (const MemoryPoint* point : lines[i].points) {
      times.push_back(static_cast<double>(point->at_ns) / 1e6);
      levels.push_back(static_cast<double>(point->allocated_bytes) / kBytesPerMib);
      hovers.push_back(hover_lines(memory_hover(table, *point, name)));
      sizes.push_back(point->peak ? 11 : 3);
      if (point->peak) peaks.push_back(peak_text(table, *point));
    }
    JsonText& json = figure.open_trace("scatter", name);
    json.text("mode", "lines+markers");
    add_numbers(json, "x", times, 7);
    add_numbers(json, "y", levels, 7);
    json.texts("hovertext", hovers).text("hoverinfo", "text");
    json.open_object("line").text("color", series_colour(i)).text("dash", series_dash(i));
    json.text("shape", "hv").close_object().open_object("marker").text("color", series_colour(i));
    add_numbers(json, "size", sizes);
    json.close_object();
    figure.close_trace();
  }
  JsonText& layout = figure.layout();
  add_axis(layout, "xaxis", {.title = "time since the first record [ms]"});
  add_axis(layout, "yaxis", {.title = "allocated [MiB]", .from_zero = true});
  layout.flag("showlegend", lines.size() > 1);
  return Figure{.title = "Memory over the profiled steps",
                .alt = "Allocated memory over time. Peak: " + join(peaks, "; ") + '.',
                .json = figure.take(),
                .note = "Peak, the large mark: " + join(peaks, "; ") +
                        ". Each point is the highest level of its span: between two points of a "
                        "line it was never higher than both."};
}

}  // namespace stepbench
