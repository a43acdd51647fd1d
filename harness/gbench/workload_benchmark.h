// SPDX-License-Identifier: Apache-2.0
// Workloads inside Google Benchmark's own loop, for programs that have such benchmarks already:
//
//   int main(int argc, char** argv) {
//     benchmark::Initialize(&argc, argv);
//     stepbench::register_workloads("sweep.yaml", my::catalogue(), my::workloads());
//     return benchmark::RunSpecifiedBenchmarks() > 0 ? 0 : 4;
//   }
//
// All cases run in one process, one after another: what one leaves behind, the next one finds. The
// rows are labelled so. `stepbench-gbench` measures the same file in fresh processes. Main thread
// only.
#pragma once

#include <benchmark/benchmark.h>

#include <filesystem>
#include <span>

#include "harness/base/resolved_case.h"
#include "harness/catalogue/catalogue.h"
#include "harness/rule.h"
#include "harness/workload.h"

namespace stepbench {

// Makes and sets up the workload of `resolved`, runs schedule.warmup steps, and then one step per
// iteration. The last iteration waits for the device, so that the work of all is in the time.
// Counters: each phase's time as "forward_ns" per step, "items_per_second", "tokens_per_second" and
// "bytes_per_second" where the steps say what they did, and the metrics that the workload reports.
// What throws, or is skipped, is the benchmark's error.
void measure_workload(benchmark::State& state, const WorkloadType& type,
                      const ResolvedCase& resolved, const Catalogue& catalogue);

// A benchmark for each case of an experiment, by the names of stepbench-gbench, behind which Google
// Benchmark's reporters write "/real_time". The number of
// iterations is Google Benchmark's. `catalogue` and `types` outlive the benchmarks. Throws
// ConfigError as `stepbench plan` does.
void register_workloads(const std::filesystem::path& file, const Catalogue& catalogue,
                        std::span<const WorkloadType> types,
                        std::span<const WorkloadRule> rules = {});

}  // namespace stepbench
