// SPDX-License-Identifier: Apache-2.0
// The modules of a profiled case, the numbers that a table shows of them, and their order. Pure.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "harness/estimate/profiled_cases.h"
#include "harness/ops/module_tree.h"
#include "harness/report/ops_columns.h"

namespace stepbench::report {

struct CaseModules : estimate::ProfiledCase {
  ops::ModuleTree tree = {};
};

// A number of a module, for tables and as a key to sort by: a sum over the steps.
struct ModuleColumn {
  std::string head;
  std::function<std::int64_t(const ops::ModuleNode&)> get;
  OpUnit unit = OpUnit::kTime;
  int drop_at = 0;
};

// Those that hold something; they refer to `tree`. Times are the device's where it was recorded.
[[nodiscard]] std::vector<ModuleColumn> module_columns(const ops::ModuleTree& tree);

// Indices of the nodes, each below its parent, siblings by `sort` as ModulesView has it; own ops
// and what is no module stand last. Throws ConfigError at --sort.
[[nodiscard]] std::vector<std::size_t> module_order(const ops::ModuleTree& tree,
                                                    const std::string& sort);

}  // namespace stepbench::report
