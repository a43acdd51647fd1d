// SPDX-License-Identifier: Apache-2.0
#include "tools/gbench/launch_counters.h"

#include <utility>
#include <vector>

#include "harness/estimate/case_rows.h"
#include "harness/report/exports.h"

namespace stepbench::gbench {

LaunchNumbers numbers_of(const record::Launch& launch) {
  LaunchNumbers numbers;
  record::Results one_launch;
  one_launch.launches.push_back(launch);
  const std::vector<estimate::CaseRow> rows = estimate::case_rows(one_launch);
  numbers.skipped = launch.row.outcome.kind == Outcome::Kind::kSkipped;
  if (rows.empty() || rows.front().measured.empty()) {
    numbers.reason = estimate::reason_of(launch);
    return numbers;
  }
  report::GbenchRepetition repetition =
      report::gbench_repetition(rows.front().measured.front(), rows.front());
  numbers.step_ns = repetition.real_ns;
  numbers.counters = std::move(repetition.counters);
  return numbers;
}

}  // namespace stepbench::gbench
