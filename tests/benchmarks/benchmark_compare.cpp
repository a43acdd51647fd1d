// SPDX-License-Identifier: Apache-2.0
// Verdicts over 1,000 cases in two results with 20 launches of 50 steps each, and over 100,000
// cases with 6 launches.
#include <benchmark/benchmark.h>

#include <string>

#include "harness/compare/comparison.h"
#include "harness/report/comparison_json.h"
#include "harness/report/comparison_text.h"
#include "harness/stats/random.h"
#include "tests/unit/compare/result_maker.h"

namespace stepbench {
namespace {

record::Results made(int cases, int launches, int steps, std::uint64_t seed) {
  testing_compare::MadeResults made;
  made.launches = launches;
  made.steps = steps;
  for (int i = 0; i < cases; ++i) {
    const auto noise = [seed, i](int launch, std::uint64_t salt) {
      stats::Random random(seed + 1000 * static_cast<std::uint64_t>(i) +
                           static_cast<std::uint64_t>(launch) + salt);
      return random.unit() + random.unit() + random.unit() - 1.5;
    };
    made.cases.push_back({.case_id = "case" + std::to_string(i),
                          .num_workers = i,
                          .step_ns =
                              [noise](int launch) {
                                return static_cast<std::int64_t>(1e7 *
                                                                 (1 + 0.01 * noise(launch, 0)));
                              },
                          .peak_bytes =
                              [noise](int launch) {
                                return 4096 * static_cast<double>(static_cast<std::int64_t>(
                                                  250000 * (1 + 0.001 * noise(launch, 7))));
                              }});
  }
  return testing_compare::make(made);
}

void compare_cases(benchmark::State& state, bool bootstrap) {
  const auto cases = static_cast<int>(state.range(0));
  const auto launches = static_cast<int>(state.range(1));
  const auto steps = static_cast<int>(state.range(2));
  const record::Results base = made(cases, launches, steps, 1);
  const record::Results candidate = made(cases, launches, steps, 2'000'000'000);
  for (auto _ : state) {
    const compare::Comparison result =
        compare::compare({&base, "old"}, {&candidate, "new"}, {.bootstrap = bootstrap});
    benchmark::DoNotOptimize(result.exit_code);
  }
}

void BM_Verdicts(benchmark::State& state) { compare_cases(state, false); }
BENCHMARK(BM_Verdicts)
    ->Args({1000, 20, 50})
    ->Args({100000, 6, 1})
    ->Unit(benchmark::kMillisecond)
    ->Iterations(1);

void BM_VerdictsWithBootstrap(benchmark::State& state) { compare_cases(state, true); }
BENCHMARK(BM_VerdictsWithBootstrap)
    ->Args({1000, 20, 50})
    ->Unit(benchmark::kMillisecond)
    ->Iterations(1);

void BM_RenderVerdicts(benchmark::State& state) {
  const record::Results base = made(1000, 20, 5, 1);
  const record::Results candidate = made(1000, 20, 5, 2'000'000'000);
  const compare::Comparison result = compare::compare({&base, "old"}, {&candidate, "new"}, {});
  for (auto _ : state) {
    benchmark::DoNotOptimize(report::comparison_json(result).size());
    benchmark::DoNotOptimize(report::comparison_table(result, {}, false).size());
  }
}
BENCHMARK(BM_RenderVerdicts)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace stepbench

BENCHMARK_MAIN();
