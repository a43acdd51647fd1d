// SPDX-License-Identifier: Apache-2.0
// The cases of an experiment beside a benchmark of the usual kind.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <cstddef>
#include <exception>
#include <iostream>
#include <numeric>
#include <vector>

#include "../own_worker/sort_workload.h"
#include "harness/gbench/workload_benchmark.h"

namespace {

void reverse(benchmark::State& state) {
  std::vector<int> numbers(static_cast<std::size_t>(state.range(0)));
  std::iota(numbers.begin(), numbers.end(), 0);
  for (auto _ : state) {
    std::reverse(numbers.begin(), numbers.end());
    benchmark::DoNotOptimize(numbers.data());
  }
}
BENCHMARK(reverse)->Arg(2000);

}  // namespace

int main(int argc, char** argv) {
  benchmark::Initialize(&argc, argv);
  if (argc != 2) {
    std::cerr << "usage: sort-benchmarks EXPERIMENT.yaml [--benchmark_...]\n";
    return 2;
  }
  try {
    stepbench::register_workloads(argv[1], sorting::catalogue(), sorting::workloads());
  } catch (const std::exception& error) {
    std::cerr << error.what() << '\n';
    return 2;
  }
  return benchmark::RunSpecifiedBenchmarks() > 0 ? 0 : 4;
}
