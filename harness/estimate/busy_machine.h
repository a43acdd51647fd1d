// SPDX-License-Identifier: Apache-2.0
// How busy a machine was beside its launches, by what was seen from outside. Pure; any thread.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "harness/estimate/case_rows.h"

namespace stepbench::estimate {

struct BusyMachine {
  double waited = 0;                  // share of its time that the training thread waited for a CPU
  std::optional<double> others = {};  // of the CPUs that other programs used; nullopt: not known

  // Its own threads are more than the CPUs.
  [[nodiscard]] bool alone() const;
};
// Medians over the launches of a case; nullopt where fewer than half of the measured launches had
// to wait for a CPU.
[[nodiscard]] std::optional<BusyMachine> busy_machine(const CaseRow& row);
// Each launch that had to wait, where it is known how long.
[[nodiscard]] std::vector<BusyMachine> busy_launches(const CaseRow& row);
// The busiest case; nullopt where what it waits changes little.
[[nodiscard]] std::optional<BusyMachine> busiest(std::span<const CaseRow> rows);

// Other programs had so much of the machine that they may be the cause of what a launch waited for.
[[nodiscard]] bool others_may_explain(const CaseRow& row);

}  // namespace stepbench::estimate
