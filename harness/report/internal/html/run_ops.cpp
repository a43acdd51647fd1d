// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "harness/base/format.h"
#include "harness/ops/op_trees.h"
#include "harness/report/internal/html/run_sections.h"
#include "harness/report/internal/ops_columns.h"
#include "harness/text/numbers.h"
#include "harness/text/words.h"

namespace stepbench::report {
namespace {

constexpr std::size_t kMaxProfiledDrawn = 8;
constexpr std::size_t kMaxOpRows = 300;  // per table, by time: the rest takes hardly any

// Formats sums over the profiled steps: "1.23 ms per step, 45.6 %".
std::string per_step(std::int64_t sum_ns, std::int64_t steps, std::int64_t all_ns = 0) {
  const auto sum = static_cast<double>(sum_ns);
  return text::duration(sum / static_cast<double>(std::max<std::int64_t>(steps, 1))) +
         (steps > 0 ? " per step" : " in all") +
         (all_ns > 0 ? ", " + text::percent_text(sum / static_cast<double>(all_ns)) : "");
}

// Times of what a chart has, on the host and on the device.
struct Times {
  std::int64_t steps = 0;
  std::int64_t all_ns[2] = {};
  std::map<std::string, std::int64_t> parts_ns[2] = {};

  // " Host time 3.20 ms per step, most in layer1: 1.20 ms per step, 37.5 %."; empty without times.
  [[nodiscard]] std::string words(const std::string& most_of) const {
    std::string text;
    for (const bool device : {false, true}) {
      if (all_ns[device] <= 0) continue;
      text += (device ? " Device time " : " Host time ") + per_step(all_ns[device], steps);
      const auto ns = [](const auto& part) { return part.second; };
      const auto most = std::ranges::max_element(parts_ns[device], {}, ns);
      if (most != parts_ns[device].end()) {
        text += formatted("{}{}: {}", most_of, most->first,
                          per_step(most->second, steps, all_ns[device]));
      }
      text += '.';
    }
    return text;
  }
};

bool is_root(const ops::CallNode& node) { return node.parent == ops::CallNode::kNoParent; }

void add_calls(json::JsonText& charts, const std::vector<ops::CallNode>& calls) {
  charts.open_object("calls");
  add_each(charts, "name", calls, [](const ops::CallNode& node) {
    const bool step = is_root(node) && node.kind == ops::OpKind::kAnnotation;
    return step && node.name == ops::kStepNode ? std::string("step") : node.name;
  });
  add_each(charts, "parent", calls, [](const ops::CallNode& node) {
    return is_root(node) ? -1 : static_cast<std::int64_t>(node.parent);
  });
  add_each(charts, "calls", calls, &ops::CallNode::calls);
  add_each(charts, "host_ns", calls, &ops::CallNode::cpu_ns);
  add_each(charts, "device_ns", calls, &ops::CallNode::device_ns);
  charts.close_object();
}

std::optional<document::Figure> flame_figure(const std::vector<ops::CallNode>& calls,
                                             std::int64_t steps) {
  Times times{.steps = steps};
  std::int64_t beside_ns = 0;
  std::int64_t others = 0;
  for (const ops::CallNode& node : calls) {
    if (is_root(node)) {
      times.all_ns[0] += node.cpu_ns;
      times.all_ns[1] += node.device_ns;
      if (node.name == ops::kOtherThreads) beside_ns += node.cpu_ns;
    }
    if (node.kind == ops::OpKind::kOp) {
      times.parts_ns[0][node.name] += node.self_cpu_ns;
      times.parts_ns[1][node.name] += node.self_device_ns;
    }
    if (node.name == ops::kOtherCalls) others += node.calls;
  }
  const std::string words = times.words(", most by itself ");
  if (words.empty()) return std::nullopt;
  document::Figure figure{.title = "Flame view: time by call",
                          .alt = "Nested calls of the profiled steps." + words,
                          .json = {}};
  if (beside_ns > 0) {
    figure.note = formatted("Of the host time {} passed on other threads, beside the step. ",
                            per_step(beside_ns, steps));
  }
  if (others > 0) {
    figure.note += text::with_separators(others) +
                   " calls of little weight are folded into (others), sums kept.";
  }
  return figure;
}

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
  add_each(charts, "module", sums, [&](const auto& each) {
    const std::uint32_t module = each.first.first;
    return module == ops::kNoIndex ? std::string_view() : table.text(module);
  });
  add_each(charts, "name", sums, [&](const auto& each) { return table.text(each.first.second); });
  add_each(charts, "ns", sums, [](const auto& each) { return each.second.ns; });
  add_each(charts, "calls", sums, [](const auto& each) { return each.second.calls; });
  charts.close_object();
}

std::optional<document::Figure> areas_figure(const ops::ModuleTree& tree) {
  const ops::ModuleCost& all = tree.nodes.front().all;
  Times times{.steps = tree.steps, .all_ns = {all.cpu_ns, all.device_ns}};
  for (const ops::ModuleNode& node : tree.nodes) {
    if (node.depth != 1 || node.kind != ops::ModuleNode::Kind::kModule) continue;
    times.parts_ns[0][node.path] = node.all.cpu_ns;
    times.parts_ns[1][node.path] = node.all.device_ns;
  }
  const std::string words = times.words(", most in ");
  if (words.empty()) return std::nullopt;
  return document::Figure{
      .title = "Time by module and op",
      .alt = "Areas by module of the model and by op." + words,
      .json = {},
      .note = tree.full_depth > 0
                  ? ""
                  : "No modules were recorded; `profile: {modules: true}` records them."};
}

std::string device_name(std::int64_t device) {
  return device < 0 ? "host" : formatted("device {}", device);
}

// "step 3, backward, aten::empty"
std::string place_text(const ops::OpTable& table, const ops::MemoryPoint& point) {
  std::string text = point.step >= 0 ? formatted("step {}, ", point.step) : "";
  if (point.phase != ops::kNoIndex) text += std::string(table.text(point.phase)) + ", ";
  return text + (point.op == ops::kNoIndex ? "in no op" : std::string(table.text(point.op)));
}

// One line per device and launch; times increase within a launch.
std::optional<document::Figure> memory_figure(const ops::OpTable& table, json::JsonText& charts) {
  if (table.memory.empty()) return std::nullopt;
  std::vector<std::string> peaks;
  std::map<std::int64_t, int> launches;
  charts.open_array("memory");
  for (auto begin = table.memory.begin(); begin != table.memory.end();) {
    const auto end = std::ranges::adjacent_find(
        begin, table.memory.end(), [](const ops::MemoryPoint& point, const auto& next) {
          return next.device != point.device || next.at_ns < point.at_ns;
        });
    const std::span line(begin, end == table.memory.end() ? end : std::next(end));
    begin += std::ssize(line);
    const std::string name = device_name(line.front().device);
    const int launch = ++launches[line.front().device];
    charts.open_object().text(
        "name", launch == 1 ? name : formatted("{}, profiled launch {}", name, launch));
    add_each(charts, "at_ns", line, &ops::MemoryPoint::at_ns);
    add_each(charts, "bytes", line, &ops::MemoryPoint::allocated_bytes);
    add_each(charts, "peak", line, [](const auto& point) { return point.peak ? 1 : 0; });
    add_each(charts, "where", line, [&](const auto& point) { return place_text(table, point); });
    charts.close_object();
    for (const ops::MemoryPoint& point : line) {
      if (!point.peak) continue;
      peaks.push_back(formatted("{} of the {} ({})",
                                text::byte_text(static_cast<double>(point.allocated_bytes)), name,
                                place_text(table, point)));
    }
  }
  charts.close_array();
  const std::string peak = text::join(peaks, "; ") + '.';
  return document::Figure{
      .title = "Memory over the profiled steps",
      .alt = "Allocated memory over time. Peak: " + peak,
      .json = {},
      .note = formatted("Peak, the large mark: {} Each point is the highest level of its span: "
                        "between two points of a line it was never higher than both.",
                        peak)};
}

std::string sums_text(const estimate::ProfiledCase& profiled, std::int64_t steps) {
  const ops::OpTotals totals = ops::totals_of(profiled.table.rows);
  std::string text =
      formatted("{}. Sums over them: self CPU {}", text::counted(steps, "profiled step"),
                text::duration(static_cast<double>(totals.self_cpu_ns)));
  if (totals.self_device_ns > 0) {
    text += ", self CUDA " + text::duration(static_cast<double>(totals.self_device_ns));
  }
  if (totals.flops > 0)
    text += ", " + operations_text(static_cast<double>(totals.flops)) + " FLOPs";
  return text + '.';
}

void add_case(const estimate::ProfiledCase& profiled, std::int64_t place, json::JsonText& charts,
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
  for (auto& [name, figure] :
       {std::pair{"flame", flame_figure(calls, tree.steps)}, std::pair{"areas", areas_figure(tree)},
        std::pair{"memory", memory_figure(profiled.table, charts)}}) {
    if (!figure) continue;
    document::Figure& added = std::get<document::Figure>(blocks.emplace_back(*figure));
    added.title += ": " + profiled.label;
    added.json = chart(name).integer("profile", place).close_object().take();
    added.folded = place > 0;
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
    add_case(cases[i], static_cast<std::int64_t>(i), charts, section.blocks);
  }
  charts.close_array();
  if (cases.size() > kMaxProfiledDrawn) {
    section.blocks.emplace_back(document::Paragraph{formatted(
        "The first {} of {} profiled cases are drawn; `stepbench show --ops --case ID` has each.",
        kMaxProfiledDrawn, cases.size())});
  }
  return section;
}

}  // namespace stepbench::report
