// SPDX-License-Identifier: Apache-2.0
#include "harness/report/module_export.h"

#include <algorithm>

#include "harness/base/value.h"
#include "harness/json/json_text.h"
#include "harness/text/csv.h"

namespace stepbench::report {
namespace {

std::string microseconds(std::int64_t ns) {
  constexpr double kNsPerMicrosecond = 1000;
  return to_text(Value(static_cast<double>(ns) / kNsPerMicrosecond));
}

}  // namespace

std::string modules_csv(const std::vector<CaseModules>& all, const std::string& sort) {
  std::vector<std::string> phases;
  bool device = false;
  for (const CaseModules& profiled : all) {
    device |= profiled.tree.device;
    for (const std::string& phase : profiled.tree.phases) {
      if (std::find(phases.begin(), phases.end(), phase) == phases.end()) phases.push_back(phase);
    }
  }
  std::string text =
      "case,engine,steps,kind,module,depth,cpu_time,cuda_time,flops,cpu_memory_allocated,"
      "cpu_memory_usage,cuda_memory_allocated,cuda_memory_usage";
  for (const std::string& phase : phases) text += ',' + text::csv_cell("cpu_time." + phase);
  for (const std::string& phase : phases) {
    if (device) text += ',' + text::csv_cell("cuda_time." + phase);
  }
  text += '\n';
  for (const CaseModules& profiled : all) {
    const ops::ModuleTree& tree = profiled.tree;
    const auto phase_cost = [&](const ops::ModuleNode& node, const std::string& phase) {
      const auto found = std::find(tree.phases.begin(), tree.phases.end(), phase);
      return found == tree.phases.end()
                 ? ops::ModuleCost{}
                 : node.by_phase[static_cast<std::size_t>(found - tree.phases.begin())];
    };
    for (const std::size_t i : module_order(tree, sort)) {
      const ops::ModuleNode& node = tree.nodes[i];
      const ops::ModuleCost& cost = node.all;
      text += profiled.case_id + ',' + profiled.engine + ',' + std::to_string(tree.steps) + ',' +
              std::string(name_of(node.kind)) + ',' + text::csv_cell(node.path) + ',' +
              std::to_string(node.depth) + ',' + microseconds(cost.cpu_ns) + ',' +
              microseconds(cost.device_ns);
      for (const std::int64_t number : {cost.flops, cost.cpu_allocated_bytes, cost.cpu_bytes,
                                        cost.device_allocated_bytes, cost.device_bytes}) {
        text += ',' + std::to_string(number);
      }
      for (const std::string& phase : phases) {
        text += ',' + microseconds(phase_cost(node, phase).cpu_ns);
      }
      for (const std::string& phase : phases) {
        if (device) text += ',' + microseconds(phase_cost(node, phase).device_ns);
      }
      text += '\n';
    }
  }
  return text;
}

namespace {

void add_cost(json::JsonText& json, const ops::ModuleCost& cost) {
  json.integer("cpu_ns", cost.cpu_ns).integer("device_ns", cost.device_ns);
  json.integer("flops", cost.flops);
  json.integer("cpu_allocated_bytes", cost.cpu_allocated_bytes)
      .integer("cpu_bytes", cost.cpu_bytes);
  json.integer("device_allocated_bytes", cost.device_allocated_bytes);
  json.integer("device_bytes", cost.device_bytes);
}

}  // namespace

std::string modules_json(const std::vector<CaseModules>& all, const std::string& sort) {
  json::JsonText json;
  json.open_object().open_array("cases");
  for (const CaseModules& profiled : all) {
    const ops::ModuleTree& tree = profiled.tree;
    json.open_object().text("case", profiled.case_id).text("engine", profiled.engine);
    json.integer("launches", profiled.launches).integer("steps", tree.steps);
    if (profiled.overhead) json.number("profile_overhead", *profiled.overhead);
    json.integer("beside_ns", tree.other_threads_ns).open_array("modules");
    for (const std::size_t i : module_order(tree, sort)) {
      const ops::ModuleNode& node = tree.nodes[i];
      json.open_object().text("kind", name_of(node.kind)).text("module", node.path);
      json.integer("depth", static_cast<std::int64_t>(node.depth));
      add_cost(json, node.all);
      json.open_object("phases");
      for (std::size_t phase = 0; phase < tree.phases.size(); ++phase) {
        if (node.by_phase[phase] == ops::ModuleCost{}) continue;
        json.open_object(tree.phases[phase]);
        add_cost(json, node.by_phase[phase]);
        json.close_object();
      }
      json.close_object().close_object();
    }
    json.close_array().close_object();
  }
  return json.close_array().close_object().take() + '\n';
}

}  // namespace stepbench::report
