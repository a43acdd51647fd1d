// SPDX-License-Identifier: Apache-2.0
// The modules of profiled cases: their reported numbers, the table of `show --ops --by-module`, and
// the exact sums over the profiled steps as CSV and JSON. Pure; any thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "harness/estimate/profiled_cases.h"
#include "harness/ops/module_tree.h"
#include "harness/record/reader.h"
#include "harness/report/case_table.h"
#include "harness/report/internal/ops_columns.h"

namespace stepbench::report {

struct ModulesView {
  std::string case_id = {};  // first digits of its id; empty: all cases
  std::size_t depth = 2;     // displayed levels of a module's path
  // Order of siblings, largest first: time, host, FLOPs, allocated or a phase; module: the model's
  // order. Empty: time.
  std::string sort = {};
};

// One tree per profiled case and engine. Tables for people are per step; CSV and JSON have exact
// sums over the steps and the number of steps. Throws ConfigError naming the argument for an
// unknown key, or if no launch recorded modules.
[[nodiscard]] std::string render_modules(const record::Results& results, const ModulesView& view,
                                         Format format, const TableStyle& style);

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

// Exports: exact sums over the profiled steps.

// One line per module; times in microseconds, exact to the nanosecond.
[[nodiscard]] std::string modules_csv(const std::vector<CaseModules>& all, const std::string& sort);
[[nodiscard]] std::string modules_json(const std::vector<CaseModules>& all,
                                       const std::string& sort);

}  // namespace stepbench::report
