// SPDX-License-Identifier: Apache-2.0
// Workloads inside Google Benchmark's own loop, for programs that already have such benchmarks:
//
//   int main(int argc, char** argv) {
//     benchmark::Initialize(&argc, argv);
//     stepbench::register_workloads("sweep.yaml", my::catalogue(), my::workloads());
//     return benchmark::RunSpecifiedBenchmarks() > 0 ? 0 : 4;
//   }
//
// All cases run in one process, one after another, so that a case can affect the next one; the rows
// are labelled so. `stepbench-gbench` measures the same file in fresh processes. Main thread only.
#pragma once

#include <benchmark/benchmark.h>

#include <filesystem>
#include <span>

#include "harness/base/resolved_case.h"
#include "harness/catalogue/catalogue.h"
#include "harness/rule.h"
#include "harness/workload.h"

namespace stepbench {

// Creates and sets up the workload of `resolved`, runs schedule.warmup steps, then one step per
// iteration. The last iteration waits for the device, so that the time includes all work. Counters:
// each phase's time as "forward_ns" per step, "items_per_second", "tokens_per_second" and
// "bytes_per_second" if the steps report them, and the workload's metrics. Exceptions and skips
// become errors of the benchmark.
void measure_workload(benchmark::State& state, const WorkloadType& type,
                      const ResolvedCase& resolved, const Catalogue& catalogue);

// Registers a benchmark for each case of an experiment, with the names of stepbench-gbench, to
// which Google Benchmark's reporters append "/real_time". Google Benchmark chooses the number of
// iterations. `catalogue` and `types` must outlive the benchmarks. Throws ConfigError as `stepbench
// plan` does.
void register_workloads(const std::filesystem::path& file, const Catalogue& catalogue,
                        std::span<const WorkloadType> types,
                        std::span<const WorkloadRule> rules = {});

}  // namespace stepbench
