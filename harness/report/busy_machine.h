// SPDX-License-Identifier: Apache-2.0
// How busy a machine was beside its launches, by what was seen from outside. Pure; any thread.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "harness/estimate/case_rows.h"

namespace stepbench::report {

// Medians over the launches of a case. `others`: of the CPUs that it may use; nullopt: not known.
struct BusyMachine {
  double waited = 0;  // share of its time that the training thread waited for a CPU
  std::optional<double> others = {};
};
// nullopt where fewer than half of the measured launches had to wait for a CPU.
[[nodiscard]] std::optional<BusyMachine> busy_machine(const estimate::CaseRow& row);

// Other programs had so much of the machine that they may be the cause of what a launch waited for.
[[nodiscard]] bool others_may_explain(const estimate::CaseRow& row);

// For a title, of the busiest case: "busy machine: waited 62 % of its time for a CPU, other
// programs used 81 %"; empty where it changes little.
[[nodiscard]] std::string busy_title(const std::vector<estimate::CaseRow>& rows);
// For the notes under a table, of all cases; empty where no case had to wait.
[[nodiscard]] std::string busy_note(const std::vector<estimate::CaseRow>& rows);

// The same of the launches of a case that had to wait, where they are too few for busy_machine();
// empty: none had to, or how long is unknown.
[[nodiscard]] std::string busy_launches_note(const estimate::CaseRow& row);

}  // namespace stepbench::report
