// SPDX-License-Identifier: Apache-2.0
#include "harness/report/module_columns.h"

#include <algorithm>
#include <utility>

#include "harness/base/error.h"
#include "harness/text/words.h"

namespace stepbench::report {
namespace {

std::int64_t time_of(const ops::ModuleTree& tree, const ops::ModuleCost& cost) {
  return tree.device ? cost.device_ns : cost.cpu_ns;
}

std::int64_t allocated_of(const ops::ModuleTree& tree, const ops::ModuleCost& cost) {
  return tree.device ? cost.device_allocated_bytes : cost.cpu_allocated_bytes;
}

}  // namespace

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
    return std::all_of(tree.nodes.begin(), tree.nodes.end(),
                       [&](const ops::ModuleNode& node) { return column.get(node) == 0; });
  });
  return columns;
}

namespace {

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
  throw ConfigError("--sort", "unknown module column '" + key + "'" +
                                  text::did_you_mean(key, known) +
                                  "; columns: " + text::join(known));
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

}  // namespace

std::vector<std::size_t> module_order(const ops::ModuleTree& tree, const std::string& sort) {
  const std::vector<ModuleColumn> columns = module_columns(tree);
  const ModuleColumn* by = sort_column(columns, sort);
  std::vector<std::vector<std::size_t>> children(tree.nodes.size());
  for (std::size_t i = 1; i < tree.nodes.size(); ++i) {
    children[tree.nodes[i].parent].push_back(i);
  }
  for (std::vector<std::size_t>& siblings : children) {
    std::stable_sort(siblings.begin(), siblings.end(), [&](std::size_t a, std::size_t b) {
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

}  // namespace stepbench::report
