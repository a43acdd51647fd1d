// SPDX-License-Identifier: Apache-2.0
// What the kernel's counters cost a window: read once before its first step and once after its
// last, never in between. A window of 60 steps of 1 ms may take 60 us for both (0.1 % of a step).
#include <benchmark/benchmark.h>
#include <unistd.h>

#include <vector>

#include "harness/base/clock.h"
#include "workloads/loader/analysis/core_watch.h"
#include "workloads/loader/analysis/loader_facts.h"

namespace {

using namespace stepbench;

void counters_of_a_window(benchmark::State& state) {
  const HostClock clock;
  const std::vector<loader::WorkerThread> workers(static_cast<std::size_t>(state.range(0)),
                                                  {.process = ::getppid(), .thread = 0});
  loader::CoreWatch watch;
  for (auto _ : state) {
    watch.begin(workers);
    benchmark::DoNotOptimize(loader::read_window_facts(clock));
    benchmark::DoNotOptimize(loader::read_window_facts(clock));
    watch.end(workers, 60'000'000, 0, 60'000'000);
  }
}
BENCHMARK(counters_of_a_window)->Arg(0)->Arg(1)->Arg(4)->Unit(benchmark::kMicrosecond);

}  // namespace

BENCHMARK_MAIN();
