// SPDX-License-Identifier: Apache-2.0
// How often a warm-up that reached into the windows is found, and how often one is reported without
// it, by simulation. Seeded; 2,000 cases per number.
#include "harness/estimate/noise.h"
#include "harness/stats/order_statistics.h"
#include "tests/testing.h"
#include "tests/unit/stats/noise.h"

namespace stepbench::estimate {
namespace {

using Window = std::function<std::vector<double>(Noise&)>;

constexpr int kWarmupCases = 2000;

struct Drawn {
  std::size_t launches = 6;
  std::size_t turn = 1;
};

struct Told {
  double share = 0;
  double change = 0;  // of the found ones: medians
  double drop = 0;
  double covered = 0;  // share of intervals that include `planted`
};

Told reported(std::uint64_t seed, const Window& window, const Drawn& drawn = {},
              double planted = 0) {
  Told out;
  std::vector<double> changes;
  std::vector<double> drops;
  for (int i = 0; i < kWarmupCases; ++i) {
    Noise noise(seed + static_cast<std::uint64_t>(i));
    std::vector<StepWindows> launches;
    for (std::size_t k = 0; k < drawn.launches; ++k) {
      std::vector<double> steps = window(noise);
      const double level = std::exp(0.005 * noise.normal());
      for (double& step : steps) step *= level;
      launches.push_back({.times = {std::move(steps)}, .excluded = {{}}, .turn = drawn.turn});
    }
    const auto effect = warmup_effect(launches);
    if (!effect) continue;
    out.covered += effect->interval.low <= planted && planted <= effect->interval.high;
    if (!effect->reported) continue;
    out.share += 1.0 / kWarmupCases;
    changes.push_back(effect->change);
    drops.push_back(static_cast<double>(effect->drop));
  }
  out.change = stats::median(changes);
  out.drop = stats::median(drops);
  out.covered /= kWarmupCases;
  return out;
}

// `first` steps take `excess` longer.
Window transient(std::size_t steps, double lag_1, double cv, std::size_t first, double excess) {
  return [=](Noise& noise) {
    std::vector<double> values = noise.autoregressive(steps, lag_1, cv);
    for (std::size_t i = 0; i < first; ++i) values[i] *= 1 + excess;
    return values;
  };
}

TEST(WarmupEffect, OnePercent_IsFoundInQuietLaunches) {
  // Standard deviation of log(mean of the window / mean of its last half): .45 % for both.
  const Told independent = reported(81000, transient(60, 0, 0.0348, 6, 0.1), {}, 0.01);
  const Told twelve = reported(82000, transient(60, 0.5, 0.0285, 6, 0.1), {.launches = 12}, 0.01);
  RecordProperty("told_6_launches", std::to_string(independent.share));
  RecordProperty("told_12_launches", std::to_string(twelve.share));
  EXPECT_GE(independent.share, 0.95);
  EXPECT_GE(twelve.share, 0.95);
  EXPECT_NEAR(independent.change, 0.01, 0.001);
  EXPECT_NEAR(independent.covered, 0.95, 0.02);
  EXPECT_GE(independent.drop, 3) << "what is left is less than .5 %";
  EXPECT_LE(independent.drop, 8);
}

// 13 of 100 steps, 19 of 117: the surplus of a third hid them from the medians of its last runs.
TEST(WarmupEffect, FirstSteps_AreFoundInLongWindows) {
  const Told hundred = reported(83000, transient(100, 0, 0.02, 13, 0.5), {}, 0.065);
  EXPECT_GE(hundred.share, 0.999);
  EXPECT_NEAR(hundred.change, 0.065, 0.003);
  EXPECT_NEAR(hundred.drop, 13, 1);
  EXPECT_GE(reported(84000, transient(117, 0, 0.02, 19, 1)).share, 0.999);
  EXPECT_NEAR(reported(84000, transient(117, 0, 0.02, 19, 1)).drop, 19, 1);
  EXPECT_GE(reported(85000, transient(100, 0, 0.02, 1, 3)).share, 0.999) << "a single slow step";
}

TEST(WarmupEffect, SteadySteps_AreSeldomReported) {
  for (const double cv : {0.005, 0.02, 0.1}) {
    for (const double lag_1 : {0.0, 0.5, 0.9}) {
      for (const std::size_t launches : {2, 3, 6, 12}) {
        const double share =
            reported(86000, transient(50, lag_1, cv, 0, 0), {.launches = launches}).share;
        EXPECT_LE(share, 0.02 + 0.006) << cv << ' ' << lag_1 << ' ' << launches;
      }
    }
  }
  const Window rare_slow = [](Noise& noise) {
    std::vector<double> steps = noise.autoregressive(50, 0, 0.02);
    for (double& step : steps) step *= noise.unit() < 0.02 ? 5 : 1;
    return steps;
  };
  EXPECT_LE(reported(87000, rare_slow).share, 0.026);
  for (const std::size_t workers : {2, 4, 8}) {
    const Window lockstep = [=](Noise& noise) { return noise.lockstep(24, workers, 0.05); };
    EXPECT_LE(reported(88000, lockstep, {.turn = workers}).share, 0.026) << workers;
  }
}

TEST(WarmupEffect, NoisyLaunches_FindTheStatedEffect) {
  for (const double cv : {0.02, 0.1}) {
    Noise noise(89000);
    std::vector<StepWindows> launches;
    for (int k = 0; k < 6; ++k) {
      launches.push_back({.times = {noise.autoregressive(60, 0, cv)}, .excluded = {{}}});
    }
    const double finds = warmup_effect(launches)->finds;
    const double excess = finds * 60 / 6 / (1 - finds);
    EXPECT_GE(reported(89100, transient(60, 0, cv, 6, excess)).share, 0.80) << cv << ' ' << finds;
  }
}

}  // namespace
}  // namespace stepbench::estimate
