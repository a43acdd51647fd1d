// SPDX-License-Identifier: Apache-2.0
// Every night of a year of 1,000 series screened as that night would have been: by what came before
// it alone. And the change points of a year, as a chart marks them.
#include <benchmark/benchmark.h>

#include <cmath>
#include <span>
#include <vector>

#include "harness/track/change_points.h"
#include "harness/track/screen.h"
#include "tests/unit/stats/noise.h"

namespace stepbench {
namespace {

constexpr std::size_t kSeries = 1000;
constexpr std::size_t kYear = 365;
constexpr std::size_t kLevel = 120;  // points that a night's check hands to a screen, at most

// A spread of 1 % and a step of 3 % in the middle.
const std::vector<std::vector<double>>& years() {
  static const std::vector<std::vector<double>> all = [] {
    testing_noise::Noise noise(41);
    std::vector<std::vector<double>> made(kSeries, std::vector<double>(kYear));
    for (std::vector<double>& series : made) {
      for (std::size_t night = 0; night < kYear; ++night) {
        series[night] = (night < kYear / 2 ? 1e6 : 1.03e6) * std::exp(0.01 * noise.normal());
      }
    }
    return made;
  }();
  return all;
}

void BM_EveryNight(benchmark::State& state, track::ScreenKind kind) {
  const auto& all = years();
  std::size_t fired = 0;
  for (auto _ : state) {
    fired = 0;
    for (const std::vector<double>& series : all) {
      for (std::size_t night = 1; night <= kYear; ++night) {
        const auto until = std::span(series).first(night);
        fired +=
            track::screen(until.last(std::min(night, kLevel + 1)), {.kind = kind}).fired() ? 1 : 0;
      }
    }
    benchmark::DoNotOptimize(fired);
  }
  state.counters["fired"] = static_cast<double>(fired);
  state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(kSeries * kYear));
}
BENCHMARK_CAPTURE(BM_EveryNight, robust_z, track::ScreenKind::kRobustZ)
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(BM_EveryNight, otava2, track::ScreenKind::kOtava2)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(BM_EveryNight, rank, track::ScreenKind::kRank)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(BM_EveryNight, t_pred, track::ScreenKind::kTPred)->Unit(benchmark::kMillisecond);

void BM_OtavaOfAYear(benchmark::State& state) {
  for (auto _ : state) {
    benchmark::DoNotOptimize(track::otava_change_points(years().front()).size());
  }
}
BENCHMARK(BM_OtavaOfAYear)->Unit(benchmark::kMillisecond);

void BM_DivisiveOfAYear(benchmark::State& state) {
  for (auto _ : state) {
    benchmark::DoNotOptimize(track::divisive_change_points(years().front()).size());
  }
}
BENCHMARK(BM_DivisiveOfAYear)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace stepbench

BENCHMARK_MAIN();
