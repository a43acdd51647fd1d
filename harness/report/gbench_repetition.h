// SPDX-License-Identifier: Apache-2.0
// A launch as a repetition of a Google Benchmark: in exported JSON, and in stepbench-gbench. Pure;
// any thread.
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "harness/estimate/case_rows.h"

namespace stepbench::report {

struct GbenchRepetition {
  std::int64_t steps = 0;
  double real_ns = 0;  // the launch's step, or its latency where that was asked for
  double cpu_ns = 0;   // of the worker process per step; 0: not recorded
  // Finite ones: each phase as "forward_ns", "items_per_second" and "tokens_per_second",
  // "data_wait_share", "step_p99_ns", "peak_rss_bytes", "peak_allocated_bytes".
  std::map<std::string, double> counters = {};
};

// `row`: the case of the launch, which says by which clock it is judged.
[[nodiscard]] GbenchRepetition gbench_repetition(const estimate::MeasuredLaunch& measured,
                                                 const estimate::CaseRow& row);

}  // namespace stepbench::report
