// SPDX-License-Identifier: Apache-2.0
#include "harness/report/module_report.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "harness/base/error.h"
#include "harness/document/cells.h"
#include "harness/document/render.h"
#include "harness/ops/module_tree.h"
#include "harness/report/module_columns.h"
#include "harness/report/module_export.h"
#include "harness/report/ops_report.h"
#include "harness/text/numbers.h"
#include "harness/text/words.h"

namespace stepbench::report {
namespace {

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
  const double value =
      static_cast<double>(sum) / static_cast<double>(std::max<std::int64_t>(tree.steps, 1));
  switch (column.unit) {
    case OpUnit::kPercent:
      return document::share(static_cast<double>(sum),
                             static_cast<double>(column.get(tree.nodes.front())));
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
  lines.push_back("Per step, the mean of " + text::counted(tree.steps, "profiled step") +
                  ". Indented rows add up to the row above them.");
  if (tree.device) {
    lines.emplace_back(
        "Times are those of kernels and copies, host is the host's; kernels that ran at the same "
        "time count twice.");
  }
  if (tree.other_threads_ns > 0) {
    lines.push_back("Of the host's time " +
                    text::duration(static_cast<double>(tree.other_threads_ns) /
                                   static_cast<double>(std::max<std::int64_t>(tree.steps, 1))) +
                    " passed on other threads, beside the step.");
  }
  if (tree.full_depth > depth) {
    lines.push_back("Deeper modules are added up; --depth " + std::to_string(tree.full_depth) +
                    " shows all.");
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
    if (std::none_of(profiled.tree.nodes.begin(), profiled.tree.nodes.end(), is_module)) {
      throw ConfigError("--by-module", "the profiled launches of case " + profiled.case_id +
                                           " recorded no modules; measure a model with "
                                           "`profile: {modules: true}`");
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
