// SPDX-License-Identifier: Apache-2.0
// The table of results/bisect_simulation.md on fresh seeds: prints it, and holds it to what the
// page promises.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <random>
#include <vector>

#include "tests/unit/bisect/simulated.h"

namespace stepbench::bisect {
namespace {

constexpr std::size_t kTrials = 4000;
constexpr double kConfidence = 0.95;

struct Row {
  double reproduced = 0;  // shares of all trials
  double named = 0;
  double ranged = 0;       // a range that holds the culprit
  double range_wrong = 0;  // one that does not
  double right = 0;        // of the named
  std::size_t launches = 0;
  std::size_t launches_95 = 0;
};

Row row_of(double step, bool heavy_tails, double layout, std::mt19937_64& seeds) {
  Row row;
  std::size_t right = 0;
  std::vector<std::size_t> launches;
  for (std::size_t trial = 0; trial < kTrials; ++trial) {
    const std::size_t place = 1 + seeds() % 64;
    World world = one_step(64, place, step, 0.01);
    world.heavy_tails = heavy_tails;
    world.layout = layout;
    const Lived lived = live(world, kConfidence, seeds());
    launches.push_back(lived.launches);
    row.reproduced += lived.answer == SearchAnswer::kNotReproduced ? 0 : 1;
    if (lived.answer == SearchAnswer::kFound) {
      row.named += 1;
      right += lived.bad == place ? 1U : 0U;
    }
    if (lived.answer == SearchAnswer::kRange) {
      const bool holds = lived.good < place && place <= lived.bad;
      (holds ? row.ranged : row.range_wrong) += 1;
    }
  }
  row.right = row.named > 0 ? static_cast<double>(right) / row.named : 1;
  for (double* share : {&row.reproduced, &row.named, &row.ranged, &row.range_wrong}) {
    *share /= static_cast<double>(kTrials);
  }
  std::sort(launches.begin(), launches.end());
  row.launches = launches[kTrials / 2];
  row.launches_95 = launches[kTrials * 95 / 100];
  return row;
}

struct Promise {
  double step;
  bool heavy_tails;
  double layout;
  double named;             // at least
  double right;             // of the named, at least
  std::size_t launches_95;  // at most
};

TEST(BisectSimulation, NamesTheCulpritAsOftenAsThePageSays) {
  std::mt19937_64 seeds(std::random_device{}());
  // As the page says, less two points for what is simulated again.
  const std::vector<Promise> promises = {
      {0.05, false, 0, 0.977, 0.99, 90},      {0.03, false, 0, 0.95, 0.99, 130},
      {0.02, false, 0, 0.914, 0.99, 220},     {0.01, false, 0, 0.69, 0.98, 540},
      {0.05, true, 0, 0.943, 0.99, 125},      {0.03, true, 0, 0.89, 0.99, 215},
      {0.02, true, 0, 0.83, 0.98, 360},       {0.01, true, 0, 0.22, 0.95, 660},
      {0.05, false, 0.005, 0.944, 0.98, 100}, {0.03, false, 0.005, 0.788, 0.94, 175},
  };
  std::printf(
      "step  noise  layout  reproduced  named  right  range  wrong range  launches  95 %%\n");
  for (const Promise& promise : promises) {
    const Row row = row_of(promise.step, promise.heavy_tails, promise.layout, seeds);
    std::printf("%3.0f %%  %s  %.1f %%  %5.1f  %5.1f  %5.2f  %4.1f  %4.1f  %zu  %zu\n",
                promise.step * 100, promise.heavy_tails ? "heavy" : "gauss", promise.layout * 100,
                row.reproduced * 100, row.named * 100, row.right * 100, row.ranged * 100,
                row.range_wrong * 100, row.launches, row.launches_95);
    EXPECT_GE(row.named, promise.named) << promise.step;
    EXPECT_GE(row.right, promise.right) << promise.step;
    EXPECT_LE(row.launches_95, promise.launches_95) << promise.step;
  }
}

}  // namespace
}  // namespace stepbench::bisect
