// SPDX-License-Identifier: Apache-2.0
#include "harness/report/module_report.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "harness/base/error.h"
#include "harness/ops/module_tree.h"
#include "harness/report/module_columns.h"
#include "harness/report/module_export.h"
#include "harness/text/grid.h"
#include "harness/text/numbers.h"
#include "harness/text/words.h"

namespace stepbench {
namespace {

std::string label_of(const ModuleNode& node) {
  switch (node.kind) {
    case ModuleNode::Kind::kStep:
      return "step";
    case ModuleNode::Kind::kModule:
      return node.path;
    case ModuleNode::Kind::kSelf:
      return node.path + " (self)";
    case ModuleNode::Kind::kNoModule:
      return "(no module)";
    case ModuleNode::Kind::kOutsideOps:
      break;
  }
  return "(outside ops)";
}

std::string indented(const ModuleNode& node) {
  const std::size_t level = node.kind == ModuleNode::Kind::kStep ? 0 : node.depth + 1;
  return std::string(2 * level, ' ') + label_of(node);
}

std::string number_text(const ModuleColumn& column, const ModuleNode& node,
                        const ModuleTree& tree) {
  const std::int64_t sum = column.get(node);
  if (sum == 0) return "";
  const double value =
      static_cast<double>(sum) / static_cast<double>(std::max<std::int64_t>(tree.steps, 1));
  switch (column.unit) {
    case OpUnit::kPercent:
      return percent(static_cast<double>(sum) /
                     static_cast<double>(column.get(tree.nodes.front())));
    case OpUnit::kOperations:
      return operations_text(value);
    case OpUnit::kBytes:
      return byte_text(value);
    default:
      return duration(value);
  }
}

Grid module_grid(const CaseModules& profiled, const std::string& sort, bool markdown) {
  const ModuleTree& tree = profiled.tree;
  const std::vector<ModuleColumn> columns = module_columns(tree);
  Grid grid;
  grid.columns.push_back({.head = "module",
                          .align = Align::kLeft,
                          .shrink_at = 10,
                          .shrink_to = 24,
                          .shrink_inside = true});
  for (const ModuleColumn& column : columns) {
    const bool time = tree.device && column.head == "time";
    grid.columns.push_back({.head = time ? "CUDA time" : column.head, .drop_at = column.drop_at});
  }
  for (const std::size_t i : module_order(tree, sort)) {
    const ModuleNode& node = tree.nodes[i];
    GridRow& row = grid.rows.emplace_back();
    row.cells.push_back(markdown ? label_of(node) : indented(node));
    for (const ModuleColumn& column : columns) {
      row.cells.push_back(number_text(column, node, tree));
    }
  }
  return grid;
}

std::vector<std::string> remarks(const CaseModules& profiled, std::size_t depth) {
  const ModuleTree& tree = profiled.tree;
  std::vector<std::string> lines;
  lines.push_back("Per step, the mean of " + counted(tree.steps, "profiled step") +
                  ". Rows that are indented add up to the row above them.");
  if (tree.device) {
    lines.emplace_back(
        "Times are those of kernels and copies, host is the host's; kernels that ran at the same "
        "time count twice.");
  }
  if (tree.beside_ns > 0) {
    lines.push_back("Of the host's time " +
                    duration(static_cast<double>(tree.beside_ns) /
                             static_cast<double>(std::max<std::int64_t>(tree.steps, 1))) +
                    " passed on other threads, beside the step.");
  }
  if (tree.full_depth > depth) {
    lines.push_back("Deeper modules are added up; --depth " + std::to_string(tree.full_depth) +
                    " shows all.");
  }
  return lines;
}

std::string modules_text(const std::vector<CaseModules>& all, const ModulesView& view,
                         const TableStyle& style, bool markdown) {
  std::string text;
  for (const CaseModules& profiled : all) {
    if (!text.empty()) text += '\n';
    text += (markdown ? "### " : "") + heading(profiled) + "\n\n";
    const Grid grid = module_grid(profiled, view.sort, markdown);
    if (markdown) {
      text += draw_markdown(grid);
    } else {
      const DrawnGrid drawn = draw(grid, static_cast<std::size_t>(style.columns), style.colour);
      text += drawn.text;
      if (!drawn.dropped.empty()) {
        text +=
            "No room for: " + join(drawn.dropped) + " (a wider terminal or --format csv has it).\n";
      }
    }
    text += '\n';
    for (const std::string& line : remarks(profiled, view.depth)) {
      text +=
          (markdown ? "- " + line : wrap_hanging(line, static_cast<std::size_t>(style.columns))) +
          '\n';
    }
  }
  return text;
}

std::vector<CaseModules> gather_modules(const Results& results, const ModulesView& view) {
  std::vector<CaseModules> all;
  for (ProfiledCase& each : profiled_cases(results, view.case_id)) {
    CaseModules& profiled = all.emplace_back(CaseModules{std::move(each)});
    profiled.tree = make_module_tree(profiled.table, view.depth);
    const auto is_module = [](const ModuleNode& node) {
      return node.kind == ModuleNode::Kind::kModule;
    };
    if (std::none_of(profiled.tree.nodes.begin(), profiled.tree.nodes.end(), is_module)) {
      throw ConfigError("--by-module", "the profiled launches of case " + profiled.case_id +
                                           " recorded no modules; measure a model with "
                                           "`profile: {modules: true}`");
    }
  }
  return all;
}

}  // namespace

std::string render_modules(const Results& results, const ModulesView& view, Format format,
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
  return modules_text(all, view, style, format == Format::kMarkdown);
}

}  // namespace stepbench
