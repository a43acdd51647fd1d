// SPDX-License-Identifier: Apache-2.0
#include "tools/gbench/launch_counters.h"

#include <utility>
#include <vector>

#include "harness/estimate/case_rows.h"
#include "harness/report/gbench_repetition.h"

namespace stepbench::gbench {

LaunchNumbers numbers_of(const Launch& launch) {
  LaunchNumbers numbers;
  Results alone;
  alone.launches.push_back(launch);
  const std::vector<CaseRow> rows = case_rows(alone);
  numbers.skipped = launch.row.outcome.kind == Outcome::Kind::kSkipped;
  if (rows.empty() || rows.front().measured.empty()) {
    numbers.reason = reason_of(launch);
    return numbers;
  }
  GbenchRepetition repetition = gbench_repetition(rows.front().measured.front(), rows.front());
  numbers.step_ns = repetition.real_ns;
  numbers.counters = std::move(repetition.counters);
  return numbers;
}

}  // namespace stepbench::gbench
