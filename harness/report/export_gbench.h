// SPDX-License-Identifier: Apache-2.0
// Results as the JSON of Google Benchmark, for what reads that: its compare.py, github-action-
// benchmark, dashboards. A case is a benchmark, a launch a repetition. Pure; any thread.
#pragma once

#include <string>

#include "harness/record/reader.h"

namespace stepbench::report {

// real_time is the step of a launch (its latency where that was asked for), cpu_time the CPU time
// of the worker process per step, 0 where it was not recorded; both in nanoseconds. Launches of
// profiling passes are left out. A number that is not finite is left out, too.
[[nodiscard]] std::string gbench_json(const record::Results& results);

}  // namespace stepbench::report
