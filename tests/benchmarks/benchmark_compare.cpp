// SPDX-License-Identifier: Apache-2.0
// Verdicts over 1,000 cases in two results with 20 launches of 50 steps, and over 100,000 cases
// with 6 launches; those of `ab` over 1,000 cases of 40 pairs; the best of 1,000 cases.
#include <benchmark/benchmark.h>

#include <iterator>
#include <string>
#include <utility>
#include <vector>

#include "harness/campaign/internal/ab_agenda.h"
#include "harness/compare/ab_comparison.h"
#include "harness/compare/comparison.h"
#include "harness/document/render.h"
#include "harness/estimate/case_rows.h"
#include "harness/estimate/ranking.h"
#include "harness/report/comparison_document.h"
#include "harness/report/comparison_json.h"
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

void BM_Verdicts(benchmark::State& state) {
  const auto cases = static_cast<int>(state.range(0));
  const auto launches = static_cast<int>(state.range(1));
  const auto steps = static_cast<int>(state.range(2));
  const record::Results base = made(cases, launches, steps, 1);
  const record::Results candidate = made(cases, launches, steps, 2'000'000'000);
  for (auto _ : state) {
    const compare::Comparison result = compare::compare({&base, "old"}, {&candidate, "new"}, {});
    benchmark::DoNotOptimize(result.exit_code);
  }
}

BENCHMARK(BM_Verdicts)
    ->Args({1000, 20, 50})
    ->Args({100000, 6, 1})
    ->Unit(benchmark::kMillisecond)
    ->Iterations(1);

// Launches of `ab` in both arms. Every case is 1.5 % slower, so that most continue to the last look
// and are claimed there.
record::Results ab_results(int cases, std::vector<compare::AbPoint>& points) {
  constexpr int kPairs = 40;
  record::Results results = made(cases, kPairs, 5, 1);
  record::Results slower = made(cases, kPairs, 5, 2'000'000'000);
  for (const char* arm : {compare::kArmA, compare::kArmB}) {
    const bool b = arm == compare::kArmB;
    for (record::Launch& launch : (b ? slower : results).launches) {
      launch.row.key.arm = arm;
      launch.row.position = 2 * launch.row.key.launch + (b ? 1 : 0);
      if (!b) continue;
      for (auto& cycle : launch.samples) {
        for (std::int64_t& step_ns : cycle.steps.columns.at(1)) step_ns += step_ns * 3 / 200;
      }
    }
  }
  std::move(slower.launches.begin(), slower.launches.end(), std::back_inserter(results.launches));
  for (int i = 0; i < cases; ++i) {
    const std::string id = "case" + std::to_string(i);
    points.push_back({id, id, id});
  }
  return results;
}

// Like `ab --resume` of a finished campaign: both looks and the complete report.
void BM_AbVerdicts(benchmark::State& state) {
  std::vector<compare::AbPoint> points;
  const record::Results results = ab_results(static_cast<int>(state.range(0)), points);
  std::size_t claims = 0;
  for (auto _ : state) {
    campaign::AbAgenda::Setup setup{
        .design = compare::with_looks(points.size(), 2 * points.size(), 1),
        .points = points,
        .labels = std::vector<std::string>(points.size(), "case"),
        .columns = results.columns};
    campaign::AbAgenda agenda(std::move(setup), results);
    if (agenda.next(results)) state.SkipWithError("a launch is missing");
    const compare::Comparison comparison =
        compare::ab_comparison(results, {.campaign = agenda.campaign(), .points = points}, {});
    claims = comparison.rejected_slower;
    benchmark::DoNotOptimize(comparison.exit_code);
  }
  state.counters["claims"] = static_cast<double>(claims);
}
BENCHMARK(BM_AbVerdicts)->Arg(100)->Arg(1000)->Unit(benchmark::kMillisecond)->Iterations(1);

// Rows of a table, their ranking, and the bound on how much slower than the best each is.
void BM_BestOfManyCases(benchmark::State& state) {
  const record::Results results = made(1000, 20, 50, 1);
  for (auto _ : state) {
    std::vector<estimate::CaseRow> rows = estimate::case_rows(results);
    estimate::compare_with_best(rows);
    benchmark::DoNotOptimize(rows.data());
  }
}
BENCHMARK(BM_BestOfManyCases)->Unit(benchmark::kMillisecond)->Iterations(3);

void BM_RenderVerdicts(benchmark::State& state) {
  const record::Results base = made(1000, 20, 5, 1);
  const record::Results candidate = made(1000, 20, 5, 2'000'000'000);
  const compare::Comparison result = compare::compare({&base, "old"}, {&candidate, "new"}, {});
  for (auto _ : state) {
    benchmark::DoNotOptimize(report::comparison_json(result).size());
    benchmark::DoNotOptimize(
        document::render(report::comparison_document({&result, 1}, false), {}).size());
  }
}
BENCHMARK(BM_RenderVerdicts)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace stepbench

BENCHMARK_MAIN();
