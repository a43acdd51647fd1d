// SPDX-License-Identifier: Apache-2.0
#include "harness/report/result_tables.h"

#include <algorithm>
#include <cstdint>
#include <functional>
#include <utility>
#include <vector>

#include "harness/base/error.h"
#include "harness/base/format.h"
#include "harness/base/value.h"
#include "harness/document/document.h"
#include "harness/document/render.h"
#include "harness/estimate/case_rows.h"
#include "harness/json/json_text.h"
#include "harness/ops/op_trees.h"
#include "harness/report/internal/csv.h"
#include "harness/report/internal/ops_columns.h"
#include "harness/text/numbers.h"
#include "harness/text/words.h"

namespace stepbench::report {
namespace {

struct CaseModules : estimate::ProfiledCase {
  ops::ModuleTree tree = {};
};

// A column and sort key of modules: a sum over the steps.
struct ModuleColumn {
  std::string head;
  std::function<std::int64_t(const ops::ModuleNode&)> get;
  OpUnit unit = OpUnit::kTime;
  int drop_at = 0;
};

std::int64_t time_of(const ops::ModuleTree& tree, const ops::ModuleCost& cost) {
  return tree.device ? cost.device_ns : cost.cpu_ns;
}

std::int64_t allocated_of(const ops::ModuleTree& tree, const ops::ModuleCost& cost) {
  return tree.device ? cost.device_allocated_bytes : cost.cpu_allocated_bytes;
}

// Columns with any values; they refer to `tree`. Device times if recorded, else host times.
std::vector<ModuleColumn> module_columns(const ops::ModuleTree& tree) {
  std::vector<ModuleColumn> columns;
  columns.push_back({"time", [&](const ops::ModuleNode& node) { return time_of(tree, node.all); }});
  columns.push_back({.head = "share [%]",
                     .get = [&](const ops::ModuleNode& node) { return time_of(tree, node.all); },
                     .unit = OpUnit::kPercent,
                     .drop_at = 6});
  for (std::size_t phase = 0; phase < tree.phases.size(); ++phase) {
    columns.push_back(
        {.head = tree.phases[phase],
         .get = [&, phase](
                    const ops::ModuleNode& node) { return time_of(tree, node.by_phase[phase]); },
         .drop_at = tree.phases[phase] == "forward"    ? 4
                    : tree.phases[phase] == "backward" ? 5
                                                       : 1});
  }
  if (tree.device) {
    columns.push_back({.head = "host",
                       .get = [](const ops::ModuleNode& node) { return node.all.cpu_ns; },
                       .drop_at = 2});
  }
  columns.push_back({.head = "FLOPs",
                     .get = [](const ops::ModuleNode& node) { return node.all.flops; },
                     .unit = OpUnit::kOperations,
                     .drop_at = 3});
  columns.push_back(
      {.head = "allocated",
       .get = [&](const ops::ModuleNode& node) { return allocated_of(tree, node.all); },
       .unit = OpUnit::kBytes,
       .drop_at = 3});
  std::erase_if(columns, [&](const ModuleColumn& column) {
    return std::ranges::all_of(tree.nodes,
                               [&](const ops::ModuleNode& node) { return column.get(node) == 0; });
  });
  return columns;
}

// nullptr for the model's own order.
const ModuleColumn* sort_column(const std::vector<ModuleColumn>& columns, std::string key) {
  if (key.starts_with('-')) key.erase(0, 1);
  if (key == "module") return nullptr;
  std::vector<std::string> known = {"module"};
  for (const ModuleColumn& column : columns) {
    std::string name = column.head.substr(0, column.head.find(' '));
    for (char& c : name) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
    if (key.empty() || key == name || key == column.head) return &column;
    known.push_back(std::move(name));
  }
  throw ConfigError("--sort", formatted("unknown module column '{}'{}; columns: {}", key,
                                        text::did_you_mean(key, known), text::join(known)));
}

// Sorts a module's own operators and non-modules after their siblings.
int group_of(const ops::ModuleNode& node) {
  switch (node.kind) {
    case ops::ModuleNode::Kind::kStep:
    case ops::ModuleNode::Kind::kModule:
      return 0;
    case ops::ModuleNode::Kind::kSelf:
    case ops::ModuleNode::Kind::kNoModule:
      return 1;
    case ops::ModuleNode::Kind::kOutsideOps:
      break;
  }
  return 2;
}

// Indexes of the nodes, each below its parent, siblings ordered by `sort` as in ModulesView; own
// operators and non-modules last. Throws ConfigError at --sort.
std::vector<std::size_t> module_order(const ops::ModuleTree& tree, const std::string& sort) {
  const std::vector<ModuleColumn> columns = module_columns(tree);
  const ModuleColumn* by = sort_column(columns, sort);
  std::vector<std::vector<std::size_t>> children(tree.nodes.size());
  for (std::size_t i = 1; i < tree.nodes.size(); ++i) {
    children[tree.nodes[i].parent].push_back(i);
  }
  for (std::vector<std::size_t>& siblings : children) {
    std::ranges::stable_sort(siblings, [&](std::size_t a, std::size_t b) {
      const ops::ModuleNode& left = tree.nodes[a];
      const ops::ModuleNode& right = tree.nodes[b];
      if (group_of(left) != group_of(right)) return group_of(left) < group_of(right);
      return by != nullptr && by->get(left) > by->get(right);
    });
  }
  std::vector<std::size_t> order;
  std::vector<std::size_t> open = {0};
  while (!open.empty()) {
    order.push_back(open.back());
    open.pop_back();
    const std::vector<std::size_t>& below = children[order.back()];
    open.insert(open.end(), below.rbegin(), below.rend());
  }
  return order;
}

// The costs of a module in exports, in order.
struct CostField {
  std::string_view csv;
  std::string_view json;
  std::int64_t ops::ModuleCost::*of;
};
constexpr CostField kCostFields[] = {
    {"cpu_time", "cpu_ns", &ops::ModuleCost::cpu_ns},
    {"cuda_time", "device_ns", &ops::ModuleCost::device_ns},
    {"flops", "flops", &ops::ModuleCost::flops},
    {"cpu_memory_allocated", "cpu_allocated_bytes", &ops::ModuleCost::cpu_allocated_bytes},
    {"cpu_memory_usage", "cpu_bytes", &ops::ModuleCost::cpu_bytes},
    {"cuda_memory_allocated", "device_allocated_bytes", &ops::ModuleCost::device_allocated_bytes},
    {"cuda_memory_usage", "device_bytes", &ops::ModuleCost::device_bytes}};

Value microseconds(std::int64_t ns) {
  constexpr double kNsPerMicrosecond = 1000;
  return double(ns) / kNsPerMicrosecond;
}

struct ModuleLine {
  const CaseModules& of;
  const ops::ModuleNode& node;

  [[nodiscard]] ops::ModuleCost in(const std::string& phase) const {
    const auto found = std::ranges::find(of.tree.phases, phase);
    return found == of.tree.phases.end()
               ? ops::ModuleCost{}
               : node.by_phase[std::size_t(found - of.tree.phases.begin())];
  }
};

std::vector<CsvColumn<ModuleLine>> line_columns(const std::vector<CaseModules>& all) {
  using Line = const ModuleLine&;
  std::vector<CsvColumn<ModuleLine>> columns = {
      {"case", [](Line line) { return line.of.case_id; }},
      {"engine", [](Line line) { return line.of.engine; }},
      {"steps", [](Line line) { return line.of.tree.steps; }},
      {"kind", [](Line line) { return std::string(name_of(line.node.kind)); }},
      {"module", [](Line line) { return line.node.path; }},
      {"depth", [](Line line) { return std::int64_t(line.node.depth); }}};
  for (const CostField& field : kCostFields) {
    columns.push_back({std::string(field.csv), [&field](Line line) {
                         const std::int64_t cost = line.node.all.*field.of;
                         return field.json.ends_with("_ns") ? microseconds(cost) : Value(cost);
                       }});
  }
  std::vector<std::string> phases;
  for (const CaseModules& profiled : all) {
    for (const std::string& phase : profiled.tree.phases) {
      if (std::ranges::find(phases, phase) == phases.end()) phases.push_back(phase);
    }
  }
  const auto add_phases = [&](const std::string& begin, std::int64_t ops::ModuleCost::*of) {
    for (const std::string& phase : phases) {
      columns.push_back(
          {begin + phase, [of, phase](Line line) { return microseconds(line.in(phase).*of); }});
    }
  };
  add_phases("cpu_time.", &ops::ModuleCost::cpu_ns);
  const bool device =
      std::ranges::any_of(all, [](const CaseModules& each) { return each.tree.device; });
  if (device) add_phases("cuda_time.", &ops::ModuleCost::device_ns);
  return columns;
}

// One line per module with the exact sums over the profiled steps; times in microseconds.
std::string modules_csv(const std::vector<CaseModules>& all, const std::string& sort) {
  const std::vector<CsvColumn<ModuleLine>> columns = line_columns(all);
  std::string text = csv_heads(columns);
  for (const CaseModules& profiled : all) {
    for (const std::size_t i : module_order(profiled.tree, sort)) {
      text += csv_line(columns, {profiled, profiled.tree.nodes[i]});
    }
  }
  return text;
}

void add_cost(json::JsonText& json, const ops::ModuleCost& cost) {
  for (const CostField& field : kCostFields) json.integer(field.json, cost.*field.of);
}

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
      json.integer("depth", std::int64_t(node.depth));
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

std::string label_of(const ops::ModuleNode& node) {
  switch (node.kind) {
    case ops::ModuleNode::Kind::kStep:
      return "step";
    case ops::ModuleNode::Kind::kModule:
      return node.path;
    case ops::ModuleNode::Kind::kSelf:
      return node.path + " (self)";
    case ops::ModuleNode::Kind::kNoModule:
      return "(no module)";
    case ops::ModuleNode::Kind::kOutsideOps:
      break;
  }
  return "(outside ops)";
}

std::string indented(const ops::ModuleNode& node) {
  const std::size_t level = node.kind == ops::ModuleNode::Kind::kStep ? 0 : node.depth + 1;
  return std::string(2 * level, ' ') + label_of(node);
}

document::Cell number_cell(const ModuleColumn& column, const ops::ModuleNode& node,
                           const ops::ModuleTree& tree) {
  const std::int64_t sum = column.get(node);
  if (sum == 0) return "";
  const double value = double(sum) / double(std::max<std::int64_t>(tree.steps, 1));
  switch (column.unit) {
    case OpUnit::kPercent:
      return document::share(double(sum), double(column.get(tree.nodes.front())));
    case OpUnit::kOperations:
      return {operations_text(value), value};
    case OpUnit::kBytes:
      return document::bytes(value);
    default:
      return document::duration(value);
  }
}

document::Table module_table(const CaseModules& profiled, const std::string& sort, bool markdown) {
  const ops::ModuleTree& tree = profiled.tree;
  const std::vector<ModuleColumn> columns = module_columns(tree);
  document::Table table{.columns = {{.head = "module",
                                     .left = true,
                                     .shrink_at = 10,
                                     .shrink_to = 24,
                                     .shrink_inside = true}}};
  for (const ModuleColumn& column : columns) {
    const bool time = tree.device && column.head == "time";
    table.columns.push_back({.head = time ? "CUDA time" : column.head, .drop_at = column.drop_at});
  }
  for (const std::size_t i : module_order(tree, sort)) {
    const ops::ModuleNode& node = tree.nodes[i];
    document::TableRow& row = table.rows.emplace_back();
    row.cells.emplace_back(markdown ? label_of(node) : indented(node));
    for (const ModuleColumn& column : columns) row.cells.push_back(number_cell(column, node, tree));
  }
  return table;
}

std::vector<std::string> remarks(const CaseModules& profiled, std::size_t depth) {
  const ops::ModuleTree& tree = profiled.tree;
  std::vector<std::string> lines;
  lines.push_back(formatted("Per step, the mean of {}. Indented rows add up to the row above them.",
                            text::counted(tree.steps, "profiled step")));
  if (tree.device) {
    lines.emplace_back(
        "Times are those of kernels and copies, host is the host's; kernels that ran at the same "
        "time count twice.");
  }
  if (tree.other_threads_ns > 0) {
    lines.push_back(formatted("Of the host's time {} passed on other threads, beside the step.",
                              text::duration(double(tree.other_threads_ns) /
                                             double(std::max<std::int64_t>(tree.steps, 1)))));
  }
  if (tree.full_depth > depth) {
    lines.push_back(
        formatted("Deeper modules are added up; --depth {} shows all.", tree.full_depth));
  }
  return lines;
}

document::Document modules_document(const CaseModules& profiled, const ModulesView& view,
                                    bool markdown) {
  document::Chapter page{.id = "modules", .title = "Modules", .blocks = {}};
  page.blocks.emplace_back(module_table(profiled, view.sort, markdown));
  document::add_paragraphs(page.blocks, remarks(profiled, view.depth));
  return {.headline = heading(profiled),
          .chapters = {std::move(page)},
          .all_columns_in = "--format csv"};
}

std::vector<CaseModules> gather_modules(const record::Results& results, const ModulesView& view) {
  std::vector<CaseModules> all;
  for (estimate::ProfiledCase& each : estimate::profiled_cases(results, view.case_id)) {
    CaseModules& profiled = all.emplace_back(CaseModules{std::move(each)});
    profiled.tree = ops::make_module_tree(profiled.table, view.depth);
    const auto is_module = [](const ops::ModuleNode& node) {
      return node.kind == ops::ModuleNode::Kind::kModule;
    };
    if (std::ranges::none_of(profiled.tree.nodes, is_module)) {
      throw ConfigError("--by-module",
                        formatted("the profiled launches of {} recorded no modules; measure a "
                                  "model with `profile: {{modules: true}}`",
                                  profiled.label));
    }
  }
  return all;
}

}  // namespace

std::string render_modules(const record::Results& results, const ModulesView& view, Format format,
                           const TableStyle& style) {
  const std::vector<CaseModules> all = gather_modules(results, view);
  switch (format) {
    case Format::kCsv:
      return modules_csv(all, view.sort);
    case Format::kJson:
      return modules_json(all, view.sort);
    case Format::kTable:
    case Format::kMarkdown:
      break;
  }
  const document::RenderStyle drawn{
      .markdown = format == Format::kMarkdown, .colour = style.colour, .columns = style.columns};
  return text::join(all, "\n", [&](const CaseModules& profiled) {
    return document::render(modules_document(profiled, view, drawn.markdown), drawn);
  });
}

}  // namespace stepbench::report
