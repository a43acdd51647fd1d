// SPDX-License-Identifier: Apache-2.0
// How busy the machine was during the launches of a case, as observed from outside. Pure; any
// thread.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "harness/estimate/case_rows.h"

namespace stepbench::estimate {

struct BusyMachine {
  double waited = 0;                  // share of its time that the training thread waited for a CPU
  std::optional<double> others = {};  // share of the CPUs used by other programs; nullopt: unknown

  // True if other programs used little, so that the case's own threads exceed the CPUs.
  [[nodiscard]] bool only_own_threads() const;
};
// Medians over the launches of a case; nullopt if fewer than half of the measured launches had to
// wait for a CPU.
[[nodiscard]] std::optional<BusyMachine> busy_machine(const CaseRow& row);
// Launches that had to wait for a CPU and recorded for how long.
[[nodiscard]] std::vector<BusyMachine> busy_launches(const CaseRow& row);
// The busiest case; nullopt if its waiting hardly affects the results.
[[nodiscard]] std::optional<BusyMachine> busiest(std::span<const CaseRow> rows);

// True if other programs used enough of the machine to explain the waiting of the case.
[[nodiscard]] bool others_may_explain(const CaseRow& row);

}  // namespace stepbench::estimate
