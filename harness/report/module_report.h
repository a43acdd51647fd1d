// SPDX-License-Identifier: Apache-2.0
// The modules of profiled cases: their reported numbers, the table of `show --ops --by-module`, and
// the exact sums over the profiled steps as CSV and JSON. Pure; any thread.
#pragma once

#include <cstddef>
#include <string>

#include "harness/record/reader.h"
#include "harness/report/case_table.h"

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

}  // namespace stepbench::report
