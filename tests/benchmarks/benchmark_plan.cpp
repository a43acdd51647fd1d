// SPDX-License-Identifier: Apache-2.0
// Plan expansion with the built-in catalogue and rules: 100,000 cases are to take at most a second.
#include <benchmark/benchmark.h>
#include <sys/resource.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "harness/plan/plan.h"
#include "workloads/built_in.h"

namespace {

std::filesystem::path write_sweep(std::int64_t cases) {
  const auto file = std::filesystem::temp_directory_path() /
                    ("plan-benchmark-" + std::to_string(getpid()) + ".yaml");
  std::ofstream out(file);
  out << "workload: loader\ndata: {kind: synthetic}\nsweep:\n  matrix:\n    loader.num_workers: "
         "[1, 2, 3, 4, 5]\n"
         "    loader.batch_size: [1, 2, 4, 8]\n    loader.prefetch_factor: [1, 2, 3, 4, 5]\n    "
         "data.samples: [";
  for (std::int64_t i = 1; i <= cases / 100; ++i) out << (i == 1 ? "" : ", ") << i;
  out << "]\n";
  return file;
}

void expand_plan(benchmark::State& state) {
  const std::filesystem::path file = write_sweep(state.range(0));
  std::size_t cases = 0;
  for (auto _ : state) {
    const stepbench::plan::Plan plan = stepbench::plan::make_plan(
        {.file = file, .cores = 8}, stepbench::built_in_catalogue(), stepbench::built_in_rules());
    cases = plan.cases.size();
    benchmark::DoNotOptimize(cases);
  }
  std::filesystem::remove(file);
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  state.counters["cases"] = static_cast<double>(cases);
  state.counters["peak_rss_mb"] = static_cast<double>(usage.ru_maxrss) / 1024;
}

}  // namespace

BENCHMARK(expand_plan)->Arg(1'000)->Arg(100'000)->Unit(benchmark::kMillisecond);

BENCHMARK_MAIN();
