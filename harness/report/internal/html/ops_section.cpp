// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "harness/ops/op_trees.h"
#include "harness/report/internal/html/chart_json.h"
#include "harness/report/internal/html/run_sections.h"
#include "harness/report/internal/ops_columns.h"
#include "harness/report/result_tables.h"
#include "harness/text/numbers.h"
#include "harness/text/words.h"

namespace stepbench::report {
namespace {

constexpr std::size_t kMaxProfiledDrawn = 8;
constexpr std::size_t kMaxOpRows = 300;  // per table, by time: the rest takes hardly any

using Steps = std::int64_t;

// Formats a sum over profiled steps: "1.23 ms per step, 45.6 %".
std::string per_step(std::int64_t sum_ns, Steps steps, std::int64_t all_ns = 0) {
  const auto sum = static_cast<double>(sum_ns);
  return text::duration(sum / static_cast<double>(std::max<Steps>(steps, 1))) +
         (steps > 0 ? " per step" : " in all") +
         (all_ns > 0 ? ", " + text::percent_text(sum / static_cast<double>(all_ns)) : "");
}

document::Figure figure_of(std::string_view name, std::size_t profile) {
  json::JsonText json = chart(name);
  json.integer("profile", static_cast<std::int64_t>(profile)).close_object();
  return {.title = {}, .alt = {}, .json = json.take()};
}

// --- Calls

bool is_root(const ops::CallNode& node) { return node.parent == ops::CallNode::kNoParent; }

bool is_step(const ops::CallNode& node) {
  return is_root(node) && node.kind == ops::OpKind::kAnnotation && node.name == ops::kStepNode;
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
    return is_root(node) ? -1 : static_cast<std::int64_t>(node.parent);
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

// " Host time 3.20 ms per step, most by itself aten::addmm: 1.20 ms per step, 37.5 %."; empty
// without such times.
std::string words_of_calls(const std::vector<ops::CallNode>& calls, Steps steps, bool device) {
  const auto all = device ? &ops::CallNode::device_ns : &ops::CallNode::cpu_ns;
  const auto own = device ? &ops::CallNode::self_device_ns : &ops::CallNode::self_cpu_ns;
  std::int64_t all_ns = 0;
  std::map<std::string, std::int64_t> own_ns;
  for (const ops::CallNode& node : calls) {
    if (is_root(node)) all_ns += node.*all;
    if (node.kind == ops::OpKind::kOp) own_ns[node.name] += node.*own;
  }
  if (all_ns <= 0) return {};
  std::string text = (device ? " Device time " : " Host time ") + per_step(all_ns, steps);
  const auto most =
      std::ranges::max_element(own_ns, {}, [](const auto& each) { return each.second; });
  if (most != own_ns.end()) {
    text += ", most by itself " + most->first + ": " + per_step(most->second, steps, all_ns);
  }
  return text + '.';
}

std::optional<document::Figure> flame_figure(const std::vector<ops::CallNode>& calls, Steps steps,
                                             std::size_t profile) {
  const std::string host = words_of_calls(calls, steps, false);
  const std::string device = words_of_calls(calls, steps, true);
  if (host.empty() && device.empty()) return std::nullopt;
  std::int64_t beside_ns = 0;
  std::int64_t others = 0;
  for (const ops::CallNode& node : calls) {
    if (node.name == ops::kOtherCalls) others += node.calls;
    if (is_root(node) && node.name == ops::kOtherThreads) beside_ns += node.cpu_ns;
  }
  std::vector<std::string> notes;
  if (beside_ns > 0) {
    notes.push_back("Of the host time " + per_step(beside_ns, steps) +
                    " passed on other threads, beside the step.");
  }
  if (others > 0) {
    notes.push_back(text::with_separators(others) +
                    " calls of little weight are folded into (others), sums kept.");
  }
  document::Figure figure = figure_of("flame", profile);
  figure.title = "Flame view: time by call";
  figure.alt = "Nested calls of the profiled steps." + host + device;
  figure.note = text::join(notes, " ");
  return figure;
}

// --- Modules and ops

// The ops of each module as columns; device: kernels and copies.
void add_ops(json::JsonText& charts, const ops::OpTable& table, bool device) {
  struct Sum {
    std::int64_t ns = 0;
    std::int64_t calls = 0;
  };
  std::map<std::pair<std::uint32_t, std::uint32_t>, Sum> sums;  // by module and name
  const bool has_steps =
      std::ranges::any_of(table.rows, [](const ops::OpRow& row) { return row.step >= 0; });
  std::int64_t outside_ns = 0;
  for (const ops::OpRow& row : table.rows) {
    if (has_steps && row.step < 0) continue;
    if (device != (row.kind == ops::OpKind::kDevice)) continue;
    if (row.kind == ops::OpKind::kAnnotation && table.text(row.name) == ops::kStepNode) {
      outside_ns += row.self_cpu_ns;
      continue;
    }
    Sum& sum = sums[{row.module, row.name}];
    sum.ns += device ? row.self_device_ns : row.self_cpu_ns;
    sum.calls += row.calls;
  }
  if (sums.empty() && outside_ns == 0) return;
  charts.open_object(device ? "device_ops" : "host_ops").integer("outside_ns", outside_ns);
  std::vector<std::int64_t> ns;
  std::vector<std::int64_t> calls;
  charts.open_array("module");
  for (const auto& [place, sum] : sums) {
    charts.text({}, place.first == ops::kNoIndex ? std::string_view() : table.text(place.first));
    ns.push_back(sum.ns);
    calls.push_back(sum.calls);
  }
  charts.close_array().open_array("name");
  for (const auto& [place, sum] : sums) charts.text({}, table.text(place.second));
  charts.close_array().integers("ns", ns).integers("calls", calls).close_object();
}

// " Host time 3.20 ms per step, most in layer1: 1.20 ms per step, 37.5 %."
std::string words_of_modules(const ops::ModuleTree& tree, bool device) {
  const auto time = device ? &ops::ModuleCost::device_ns : &ops::ModuleCost::cpu_ns;
  const std::int64_t all_ns = tree.nodes.front().all.*time;
  if (all_ns <= 0) return {};
  const ops::ModuleNode* most = nullptr;
  for (const ops::ModuleNode& node : tree.nodes) {
    if (node.depth != 1 || node.kind != ops::ModuleNode::Kind::kModule) continue;
    if (most == nullptr || node.all.*time > most->all.*time) most = &node;
  }
  std::string text = (device ? " Device time " : " Host time ") + per_step(all_ns, tree.steps);
  if (most != nullptr) {
    text += ", most in " + most->path + ": " + per_step(most->all.*time, tree.steps, all_ns);
  }
  return text + '.';
}

std::optional<document::Figure> areas_figure(const ops::ModuleTree& tree, std::size_t profile) {
  const std::string host = words_of_modules(tree, false);
  const std::string device = words_of_modules(tree, true);
  if (host.empty() && device.empty()) return std::nullopt;
  document::Figure figure = figure_of("areas", profile);
  figure.title = "Time by module and op";
  figure.alt = "Areas by module of the model and by op." + host + device;
  if (tree.full_depth == 0) {
    figure.note = "No modules were recorded; `profile: {modules: true}` records them.";
  }
  return figure;
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
  document::Figure figure = figure_of("memory", profile);
  figure.title = "Memory over the profiled steps";
  figure.alt = "Allocated memory over time. Peak: " + text::join(peaks, "; ") + '.';
  figure.note = "Peak, the large mark: " + text::join(peaks, "; ") +
                ". Each point is the highest level of its span: between two points of a "
                "line it was never higher than both.";
  return figure;
}

// --- The chapter

std::string sums_text(const estimate::ProfiledCase& profiled, Steps steps) {
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
  const ops::ModuleTree tree = ops::make_module_tree(profiled.table, 1);
  const std::vector<ops::CallNode> calls = ops::call_tree(profiled.table);
  blocks.emplace_back(
      document::Paragraph{heading(profiled) + ": " + sums_text(profiled, tree.steps)});
  if (calls.empty()) {
    blocks.emplace_back(document::Paragraph{
        "No flame view: this was recorded before stepbench kept which call made which; "
        "measure again with --profile."});
  }
  charts.open_object().integer("steps", tree.steps);
  add_calls(charts, calls);
  for (const bool device : {false, true}) add_ops(charts, profiled.table, device);
  for (std::optional<document::Figure> figure :
       {flame_figure(calls, tree.steps, place), areas_figure(tree, place),
        memory_figure(profiled.table, place, charts)}) {
    if (!figure) continue;
    figure->title += ": " + profiled.label;
    figure->folded = place > 0;
    blocks.emplace_back(*std::move(figure));
  }
  charts.close_object();
  blocks.emplace_back(ops_table(profiled, "Operations: " + profiled.label, kMaxOpRows));
}

}  // namespace

std::optional<document::Chapter> ops_section(const record::Results& results,
                                             json::JsonText& charts) {
  const bool any = std::ranges::any_of(
      results.launches, [](const record::Launch& launch) { return !launch.ops.empty(); });
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

}  // namespace stepbench::report
