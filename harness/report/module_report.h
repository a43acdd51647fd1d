// SPDX-License-Identifier: Apache-2.0
// What `show --ops --by-module` prints: the profiled steps by module of the model.
#pragma once

#include <cstddef>
#include <string>

#include "harness/record/reader.h"
#include "harness/report/table.h"

namespace stepbench::report {

struct ModulesView {
  std::string case_id = {};  // its first digits; empty: all cases
  std::size_t depth = 2;     // names of a module's path that are shown
  // Siblings, largest first: time, host, FLOPs, allocated or a phase; module: the model's order.
  // Empty: time.
  std::string sort = {};
};

// One tree per profiled case and engine. Tables for people are per step; CSV and JSON hold sums
// over the steps, which are exact, and their number. Throws ConfigError naming the argument for an
// unknown key, and when no launch recorded modules.
[[nodiscard]] std::string render_modules(const record::Results& results, const ModulesView& view,
                                         Format format, const TableStyle& style);

}  // namespace stepbench::report
