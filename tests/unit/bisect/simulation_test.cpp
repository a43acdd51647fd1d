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
  double named = 0;  // share of all trials
  double right = 0;  // of the named
  std::size_t launches_95 = 0;
};

Row row_of(double step, bool heavy_tails, double layout, std::mt19937_64& seeds) {
  double named = 0;
  double right = 0;
  double reproduced = 0;
  double ranged = 0;       // a range that holds the culprit
  double range_wrong = 0;  // one that does not
  std::vector<std::size_t> launches;
  for (std::size_t trial = 0; trial < kTrials; ++trial) {
    const std::size_t place = 1 + seeds() % 64;
    World world = one_step(64, place, step, 0.01);
    world.heavy_tails = heavy_tails;
    world.layout = layout;
    const Lived lived = live(world, kConfidence, seeds());
    launches.push_back(lived.launches);
    const bool found = lived.answer == SearchAnswer::kFound;
    const bool range = lived.answer == SearchAnswer::kRange;
    const bool holds = lived.good < place && place <= lived.bad;
    reproduced += lived.answer != SearchAnswer::kNotReproduced;
    named += found;
    right += found && lived.bad == place;
    ranged += range && holds;
    range_wrong += range && !holds;
  }
  std::sort(launches.begin(), launches.end());
  const Row row = {named / kTrials, named > 0 ? right / named : 1, launches[kTrials * 95 / 100]};
  std::printf("%3.0f %%  %s  %.1f %%  %5.1f  %5.1f  %5.2f  %4.1f  %4.1f  %zu  %zu\n", step * 100,
              heavy_tails ? "heavy" : "gauss", layout * 100, reproduced / kTrials * 100,
              row.named * 100, row.right * 100, ranged / kTrials * 100, range_wrong / kTrials * 100,
              launches[kTrials / 2], row.launches_95);
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
    EXPECT_GE(row.named, promise.named) << promise.step;
    EXPECT_GE(row.right, promise.right) << promise.step;
    EXPECT_LE(row.launches_95, promise.launches_95) << promise.step;
  }
}

}  // namespace
}  // namespace stepbench::bisect
