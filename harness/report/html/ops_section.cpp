// SPDX-License-Identifier: Apache-2.0
#include "harness/report/html/ops_section.h"

#include <algorithm>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "harness/ops/call_tree.h"
#include "harness/ops/module_tree.h"
#include "harness/report/html/chart_json.h"
#include "harness/report/html/run_sections.h"
#include "harness/report/internal/ops_columns.h"
#include "harness/report/ops_report.h"
#include "harness/text/numbers.h"
#include "harness/text/words.h"

namespace stepbench::report {
namespace {

constexpr std::size_t kMaxProfiledDrawn = 8;
constexpr std::size_t kMaxOpRows = 300;  // per table, by time: the rest takes hardly any

std::string sums_text(const estimate::ProfiledCase& profiled, std::int64_t steps) {
  const ops::OpTotals totals = ops::totals_of(profiled.table.rows);
  std::string text = text::counted(steps, "profiled step") + ". Sums over them: self CPU " +
                     text::duration(static_cast<double>(totals.self_cpu_ns));
  if (totals.self_device_ns > 0) {
    text += ", self CUDA " + text::duration(static_cast<double>(totals.self_device_ns));
  }
  if (totals.flops > 0)
    text += ", " + operations_text(static_cast<double>(totals.flops)) + " FLOPs";
  return text + '.';
}

void add_case(const estimate::ProfiledCase& profiled, std::size_t place, json::JsonText& charts,
              std::vector<document::Block>& blocks) {
  const std::int64_t steps = ops::make_module_tree(profiled.table, 0).steps;
  blocks.emplace_back(document::Paragraph{heading(profiled) + ": " + sums_text(profiled, steps)});
  const std::vector<ops::CallNode> calls = ops::call_tree(profiled.table);
  if (calls.empty()) {
    blocks.emplace_back(document::Paragraph{
        "No flame view: this was recorded before stepbench kept which call made which; "
        "measure again with --profile."});
  }
  for (document::Figure& figure : profile_figures(profiled.table, calls, place, charts)) {
    figure.title += ": " + profiled.label;
    figure.folded = place > 0;
    blocks.emplace_back(std::move(figure));
  }
  blocks.emplace_back(ops_table(profiled, "Operations: " + profiled.label, kMaxOpRows));
}

}  // namespace

std::optional<document::Chapter> ops_section(const record::Results& results,
                                             json::JsonText& charts) {
  const bool any = std::any_of(results.launches.begin(), results.launches.end(),
                               [](const record::Launch& launch) { return !launch.ops.empty(); });
  if (!any) return std::nullopt;
  document::Chapter section{.id = "operations", .title = "Operations", .blocks = {}};
  const std::vector<estimate::ProfiledCase> cases = estimate::profiled_cases(results, "");
  section.blocks.emplace_back(document::Paragraph{
      "From launches of their own that record every operation: they say where the time "
      "of a step goes, not how long it takes."});
  charts.open_array("profiles");
  for (std::size_t i = 0; i < std::min(cases.size(), kMaxProfiledDrawn); ++i) {
    add_case(cases[i], i, charts, section.blocks);
  }
  charts.close_array();
  if (cases.size() > kMaxProfiledDrawn) {
    section.blocks.emplace_back(document::Paragraph{
        "The first " + std::to_string(kMaxProfiledDrawn) + " of " + std::to_string(cases.size()) +
        " profiled cases are drawn; `stepbench show --ops --case ID` has each."});
  }
  return section;
}

namespace {

constexpr std::size_t kMaxAreas = 600;  // operators in a treemap, in addition to modules
constexpr std::int64_t kNoParent = -1;

enum class OpTime : std::uint8_t { kHost, kDevice };
constexpr EnumNames<2> names_of(OpTime) { return {"host", "device"}; }

// Formats a sum over profiled steps: "1.23 ms per step".
std::string per_step(std::int64_t sum_ns, std::int64_t steps) {
  const auto count = static_cast<double>(std::max<std::int64_t>(steps, 1));
  return text::duration(static_cast<double>(sum_ns) / count) +
         (steps > 0 ? " per step" : " in all");
}

std::string share_text(std::int64_t part_ns, std::int64_t all_ns) {
  return ", " + text::percent_text(static_cast<double>(part_ns) / static_cast<double>(all_ns));
}

json::JsonText chart_of(std::string_view name, std::size_t profile, OpTime time) {
  json::JsonText json = chart(name);
  json.integer("profile", static_cast<std::int64_t>(profile)).text("time", name_of(time));
  json.close_object();
  return json;
}

// --- Calls

bool is_root(const ops::CallNode& node) { return node.parent == ops::CallNode::kNoParent; }

bool is_step(const ops::CallNode& node) {
  return is_root(node) && node.kind == ops::OpKind::kAnnotation && node.name == ops::kStepNode;
}

std::int64_t time_of(const ops::CallNode& node, OpTime time) {
  return time == OpTime::kHost ? node.cpu_ns : node.device_ns;
}

std::int64_t own_time_of(const ops::CallNode& node, OpTime time) {
  return time == OpTime::kHost ? node.self_cpu_ns : node.self_device_ns;
}

void add_calls(json::JsonText& charts, const std::vector<ops::CallNode>& calls) {
  const auto add = [&](std::string_view key, const auto& of) {
    std::vector<std::int64_t> values;
    for (const ops::CallNode& node : calls) values.push_back(of(node));
    charts.integers(key, values);
  };
  charts.open_object("calls").open_array("name");
  for (const ops::CallNode& node : calls) charts.text({}, node.name);
  charts.close_array();
  add("parent", [](const ops::CallNode& node) {
    return is_root(node) ? kNoParent : static_cast<std::int64_t>(node.parent);
  });
  add("calls", [](const ops::CallNode& node) { return node.calls; });
  add("host_ns", [](const ops::CallNode& node) { return node.cpu_ns; });
  add("own_host_ns", [](const ops::CallNode& node) { return node.self_cpu_ns; });
  add("device_ns", [](const ops::CallNode& node) { return node.device_ns; });
  add("own_device_ns", [](const ops::CallNode& node) { return node.self_device_ns; });
  std::vector<std::size_t> steps;
  for (std::size_t i = 0; i < calls.size(); ++i) {
    if (is_step(calls[i])) steps.push_back(i);
  }
  add_places(charts, "step", steps);
  charts.close_object();
}

int levels_of(const std::vector<ops::CallNode>& calls) {
  std::vector<int> level;
  for (const ops::CallNode& node : calls)
    level.push_back(is_root(node) ? 1 : level[node.parent] + 1);
  return level.empty() ? 0 : *std::ranges::max_element(level);
}

std::string largest_op(const std::vector<ops::CallNode>& calls, OpTime time, std::int64_t steps,
                       std::int64_t all_ns) {
  std::map<std::string, std::int64_t> own_ns;
  for (const ops::CallNode& node : calls) {
    if (node.kind == ops::OpKind::kOp) own_ns[node.name] += own_time_of(node, time);
  }
  const auto most =
      std::ranges::max_element(own_ns, {}, [](const auto& each) { return each.second; });
  if (most == own_ns.end()) return {};
  return " The op with the most time of its own: " + most->first + ", " +
         per_step(most->second, steps) + share_text(most->second, all_ns) + '.';
}

std::optional<document::Figure> flame_figure(const std::vector<ops::CallNode>& calls, OpTime time,
                                             std::size_t profile) {
  std::int64_t all_ns = 0;
  std::int64_t steps = 0;
  std::int64_t other_threads_ns = 0;
  std::int64_t others = 0;
  bool negative = false;
  for (const ops::CallNode& node : calls) {
    if (node.name == ops::kOtherCalls) others += node.calls;
    negative = negative || own_time_of(node, time) < 0;
    if (!is_root(node)) continue;
    all_ns += time_of(node, time);
    if (is_step(node)) steps += node.calls;
    if (node.name == ops::kOtherThreads) other_threads_ns += time_of(node, time);
  }
  if (all_ns <= 0) return std::nullopt;
  std::vector<std::string> notes;
  if (other_threads_ns > 0) {
    notes.push_back(per_step(other_threads_ns, steps) +
                    " passed on other threads, beside the step.");
  }
  if (others > 0) {
    notes.push_back(text::with_separators(others) +
                    " calls of little weight are folded into (others), sums kept.");
  }
  if (negative) notes.emplace_back("Times below zero, which come of two clocks, are not drawn.");
  return document::Figure{
      .title = time == OpTime::kHost ? "Flame view: host time by call"
                                     : "Flame view: device time by the call it came from",
      .alt = "Nested calls of the profiled steps, " + std::string(name_of(time)) + " time " +
             per_step(all_ns, steps) + "." + largest_op(calls, time, steps, all_ns),
      .json = chart_of("flame", profile, time).take(),
      .note = text::join(notes, " "),
      .height_px = std::clamp(60 + 34 * levels_of(calls), 300, 900)};
}

// --- Modules and ops as areas

using Kind = ops::ModuleNode::Kind;

std::int64_t time_of(const ops::ModuleCost& cost, OpTime time) {
  return time == OpTime::kHost ? cost.cpu_ns : cost.device_ns;
}

std::size_t shown_depth(const ops::ModuleTree& tree) {
  std::size_t depth = 0;
  for (const ops::ModuleNode& node : tree.nodes) {
    if (node.kind == Kind::kModule) depth = std::max(depth, node.depth);
  }
  return depth;
}

ops::ModuleTree shown_modules(const ops::OpTable& table) {
  constexpr std::size_t kDeepest = 16;
  ops::ModuleTree tree = ops::make_module_tree(table, kDeepest);
  for (std::size_t depth = std::min(kDeepest, tree.full_depth);
       depth > 1 && tree.nodes.size() > kMaxAreas; --depth) {
    tree = ops::make_module_tree(table, depth - 1);
  }
  return tree;
}

// The first depth with several modules.
std::size_t split_depth(const ops::ModuleTree& tree) {
  for (std::size_t depth = 1; depth <= shown_depth(tree); ++depth) {
    const auto modules = std::ranges::count_if(tree.nodes, [&](const ops::ModuleNode& node) {
      return node.kind == Kind::kModule && node.depth == depth;
    });
    if (modules > 1) return depth;
  }
  return 1;
}

std::string label_of(const ops::ModuleNode& node) {
  if (node.kind == Kind::kStep) return "step";
  if (node.kind == Kind::kNoModule) return "(no module)";
  if (node.kind == Kind::kOutsideOps) return "(outside ops)";
  return node.path.substr(node.depth == 0 ? 0 : node.path.rfind('.') + 1);
}

struct Area {
  std::string label;
  std::string path = {};
  std::int64_t parent = kNoParent;
  std::int64_t ns = 0;      // self time
  std::int64_t calls = -1;  // operators only
  std::int64_t colour = -1;
};

// Modules, as deep as shown, with their operators. All sum to the time of the steps.
class Areas {
 public:
  Areas(const ops::OpTable& table, const ops::ModuleTree& tree, OpTime time)
      : table_(table), time_(time), depth_(shown_depth(tree)) {
    add_modules(tree);
    add_ops();
  }

  void add_to(json::JsonText& charts, std::string_view key, std::int64_t all_ns) const {
    charts.open_object(key).integer("all_ns", all_ns).open_array("label");
    for (const Area& each : areas_) charts.text({}, each.label);
    charts.close_array().open_array("path");
    for (const Area& each : areas_) charts.text({}, each.path);
    charts.close_array();
    const auto add = [&](std::string_view name, std::int64_t Area::*of) {
      std::vector<std::int64_t> values;
      for (const Area& each : areas_) values.push_back(each.*of);
      charts.integers(name, values);
    };
    add("parent", &Area::parent);
    add("ns", &Area::ns);
    add("calls", &Area::calls);
    add("colour", &Area::colour);
    charts.close_object();
  }

  [[nodiscard]] std::int64_t folded() const { return folded_; }
  [[nodiscard]] bool has_negative() const {
    return std::ranges::any_of(areas_, [](const Area& each) { return each.ns < 0; });
  }

 private:
  void add_modules(const ops::ModuleTree& tree) {
    const std::size_t split = split_depth(tree);
    std::int64_t colours = 0;
    std::vector<std::int64_t> place;  // index in areas_ of each node of the tree
    for (const ops::ModuleNode& node : tree.nodes) {
      place.push_back(std::ssize(areas_));
      if (node.kind == Kind::kSelf) continue;  // its operators are children of the module
      Area area{.label = label_of(node)};
      if (node.kind == Kind::kModule) area.path = node.path;
      if (node.parent != ops::ModuleNode::kNoParent) area.parent = place[node.parent];
      if (node.depth == split && node.kind == Kind::kModule) area.colour = colours++;
      if (node.kind == Kind::kOutsideOps) area.ns = time_of(node.all, time_);
      if (node.kind == Kind::kModule) place_of_.emplace(node.path, place.back());
      if (node.kind == Kind::kNoModule) no_module_ = place.back();
      areas_.push_back(std::move(area));
    }
  }

  void add_ops() {
    std::vector<Area> found;
    std::map<std::pair<std::int64_t, std::string_view>, std::size_t> index;
    const bool has_steps =
        std::ranges::any_of(table_.rows, [](const ops::OpRow& row) { return row.step >= 0; });
    for (const ops::OpRow& row : table_.rows) {
      if (has_steps && row.step < 0) continue;
      if (row.kind == ops::OpKind::kAnnotation && table_.text(row.name) == ops::kStepNode) continue;
      const bool device = row.kind == ops::OpKind::kDevice;
      if (device != (time_ == OpTime::kDevice)) continue;
      const std::int64_t parent = module_of(row);
      const std::string_view name = table_.text(row.name);
      const auto [at, is_new] = index.try_emplace({parent, name}, found.size());
      if (is_new) found.push_back({.label = std::string(name), .parent = parent, .calls = 0});
      found[at->second].ns += device ? row.self_device_ns : row.self_cpu_ns;
      found[at->second].calls += row.calls;
    }
    std::ranges::stable_sort(found, std::greater<>(), &Area::ns);
    std::map<std::int64_t, Area> others;
    for (std::size_t i = 0; i < found.size(); ++i) {
      if (i < kMaxAreas) {
        areas_.push_back(std::move(found[i]));
        continue;
      }
      const Area none{
          .label = std::string(ops::kOtherCalls), .parent = found[i].parent, .calls = 0};
      Area& sum = others.try_emplace(found[i].parent, none).first->second;
      sum.ns += found[i].ns;
      sum.calls += found[i].calls;
      ++folded_;
    }
    for (auto& [parent, sum] : others) areas_.push_back(std::move(sum));
  }

  // Index of the deepest shown module that contains the operator, by path.
  [[nodiscard]] std::int64_t module_of(const ops::OpRow& row) const {
    if (row.module == ops::kNoIndex) return no_module_;
    std::string_view path = table_.text(row.module);  // may be "(model)"
    if (const auto whole = place_of_.find(path); whole != place_of_.end()) return whole->second;
    std::size_t end = 0;
    for (std::size_t i = 0; i < depth_ && end != std::string_view::npos; ++i) {
      end = path.find('.', i == 0 ? 0 : end + 1);
    }
    const auto above = place_of_.find(path.substr(0, end));
    return above == place_of_.end() ? no_module_ : above->second;
  }

  const ops::OpTable& table_;
  OpTime time_;
  std::size_t depth_;
  std::vector<Area> areas_;
  std::map<std::string, std::int64_t, std::less<>> place_of_;  // modules by path
  std::int64_t no_module_ = 0;
  std::int64_t folded_ = 0;
};

std::optional<document::Figure> areas_figure(const ops::OpTable& table, OpTime time,
                                             std::size_t profile, json::JsonText& charts) {
  const ops::ModuleTree tree = shown_modules(table);
  const std::int64_t all_ns = time_of(tree.nodes.front().all, time);
  if (all_ns <= 0) return std::nullopt;
  const Areas areas(table, tree, time);
  areas.add_to(charts, std::string(name_of(time)) + "_areas", all_ns);
  const std::string name(name_of(time));
  std::string alt = "Areas: " + name + " time " + per_step(all_ns, tree.steps) +
                    ", split by module of the model and by op.";
  const ops::ModuleNode* most = nullptr;
  for (const ops::ModuleNode& node : tree.nodes) {
    if (node.depth != 1 || node.kind != Kind::kModule) continue;
    if (most == nullptr || time_of(node.all, time) > time_of(most->all, time)) most = &node;
  }
  if (most != nullptr) {
    const std::int64_t ns = time_of(most->all, time);
    alt += " The largest module: " + most->path + ", " + per_step(ns, tree.steps) +
           share_text(ns, all_ns) + '.';
  }
  std::vector<std::string> notes;
  const std::size_t depth = shown_depth(tree);
  if (tree.full_depth == 0) {
    notes.emplace_back("No modules were recorded; `profile: {modules: true}` records them.");
  } else if (depth < tree.full_depth) {
    notes.push_back("Modules deeper than " + text::counted(std::int64_t(depth), "name") +
                    " are added up in the ones above them.");
  }
  if (areas.folded() > 0) {
    notes.push_back("The " + text::counted(areas.folded(), "smallest area") + " of " +
                    std::to_string(areas.folded() + std::int64_t(kMaxAreas)) +
                    " are added up as (others).");
  }
  if (time == OpTime::kHost && tree.other_threads_ns > 0) {
    notes.push_back("Of the host time " + per_step(tree.other_threads_ns, tree.steps) +
                    " passed on other threads, beside the step.");
  }
  if (areas.has_negative()) {
    notes.emplace_back("Times below zero, which come of rounding, are not drawn.");
  }
  return document::Figure{
      .title = (time == OpTime::kHost ? "Host" : "Device") + std::string(" time by module and op"),
      .alt = std::move(alt),
      .json = chart_of("areas", profile, time).take(),
      .note = text::join(notes, " "),
      .height_px = 480};
}

// --- Memory

std::string device_name(std::int64_t device) {
  return device < 0 ? "host" : "device " + std::to_string(device);
}

// "step 3, backward, aten::empty"
std::string place_text(const ops::OpTable& table, const ops::MemoryPoint& point) {
  std::string text = point.step >= 0 ? "step " + std::to_string(point.step) + ", " : "";
  if (point.phase != ops::kNoIndex) text += std::string(table.text(point.phase)) + ", ";
  return text + (point.op == ops::kNoIndex ? "in no op" : std::string(table.text(point.op)));
}

// One line per device and launch; times increase within a launch.
std::vector<std::vector<const ops::MemoryPoint*>> memory_lines(const ops::OpTable& table) {
  std::vector<std::vector<const ops::MemoryPoint*>> lines;
  for (const ops::MemoryPoint& point : table.memory) {
    const bool continues = !lines.empty() && lines.back().back()->device == point.device &&
                           lines.back().back()->at_ns <= point.at_ns;
    if (!continues) lines.emplace_back();
    lines.back().push_back(&point);
  }
  return lines;
}

std::optional<document::Figure> memory_figure(const ops::OpTable& table, std::size_t profile,
                                              json::JsonText& charts) {
  if (table.memory.empty()) return std::nullopt;
  std::vector<std::string> peaks;
  std::map<std::int64_t, int> launches;
  charts.open_array("memory");
  for (const auto& line : memory_lines(table)) {
    const int launch = launches[line.front()->device]++;
    std::string name = device_name(line.front()->device);
    if (launch > 0) name += ", profiled launch " + std::to_string(launch + 1);
    std::vector<std::int64_t> at_ns;
    std::vector<std::int64_t> bytes;
    std::vector<std::size_t> peak_places;
    std::vector<std::string> where;
    for (const ops::MemoryPoint* point : line) {
      if (point->peak) {
        peak_places.push_back(at_ns.size());
        peaks.push_back(text::byte_text(static_cast<double>(point->allocated_bytes)) + " of the " +
                        device_name(point->device) + " (" + place_text(table, *point) + ')');
      }
      at_ns.push_back(point->at_ns);
      bytes.push_back(point->allocated_bytes);
      where.push_back(place_text(table, *point));
    }
    charts.open_object().text("name", name).integers("at_ns", at_ns).integers("bytes", bytes);
    add_places(charts, "peaks", peak_places);
    charts.texts("where", where).close_object();
  }
  charts.close_array();
  json::JsonText json = chart("memory");
  json.integer("profile", static_cast<std::int64_t>(profile)).close_object();
  return document::Figure{
      .title = "Memory over the profiled steps",
      .alt = "Allocated memory over time. Peak: " + text::join(peaks, "; ") + '.',
      .json = json.take(),
      .note = "Peak, the large mark: " + text::join(peaks, "; ") +
              ". Each point is the highest level of its span: between two points of a "
              "line it was never higher than both."};
}

}  // namespace

std::vector<document::Figure> profile_figures(const ops::OpTable& table,
                                              const std::vector<ops::CallNode>& calls,
                                              std::size_t profile, json::JsonText& charts) {
  std::vector<document::Figure> figures;
  const auto add = [&](std::optional<document::Figure> figure) {
    if (figure) figures.push_back(*std::move(figure));
  };
  charts.open_object().integer("steps", ops::make_module_tree(table, 0).steps);
  add_calls(charts, calls);
  add(flame_figure(calls, OpTime::kHost, profile));
  add(flame_figure(calls, OpTime::kDevice, profile));
  add(areas_figure(table, OpTime::kHost, profile, charts));
  add(areas_figure(table, OpTime::kDevice, profile, charts));
  add(memory_figure(table, profile, charts));
  charts.close_object();
  return figures;
}

}  // namespace stepbench::report
