// SPDX-License-Identifier: Apache-2.0
// Modules of a profiled case, their table columns, and their order. Pure.
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

// A column and sort key of modules: a sum over the steps.
struct ModuleColumn {
  std::string head;
  std::function<std::int64_t(const ops::ModuleNode&)> get;
  OpUnit unit = OpUnit::kTime;
  int drop_at = 0;
};

// Columns with any values; they refer to `tree`. Device times if recorded, else host times.
[[nodiscard]] std::vector<ModuleColumn> module_columns(const ops::ModuleTree& tree);

// Indexes of the nodes, each below its parent, siblings ordered by `sort` as in ModulesView; own
// operators and non-modules last. Throws ConfigError at --sort.
[[nodiscard]] std::vector<std::size_t> module_order(const ops::ModuleTree& tree,
                                                    const std::string& sort);

}  // namespace stepbench::report
