// SPDX-License-Identifier: Apache-2.0
// Components of variance, checked on models from which they are drawn. Seeded.
#include "harness/estimate/internal/variance_components.h"

#include "harness/stats/order_statistics.h"
#include "tests/testing.h"
#include "tests/unit/stats/noise.h"

namespace stepbench::estimate {
namespace {

double square(double x) { return x * x; }

// Steps within launches, as a share of the level.
struct Model {
  std::size_t launches = 10;
  std::size_t steps = 60;
  double launch_sd = 0;
  double step_sd = 0.03;
  double alike = 0;     // of neighbouring steps
  bool skewed = false;  // steps: lognormal around their mean, sigma .75

  [[nodiscard]] double long_run() const { return step_sd * step_sd * (1 + alike) / (1 - alike); }
  [[nodiscard]] std::string name() const {
    return std::to_string(launches) + " launches of " + std::to_string(steps) + ", alike " +
           std::to_string(alike) + ", launches " + std::to_string(launch_sd) +
           (skewed ? ", skewed" : "");
  }
};

struct Drawn {
  LongRunVariance steps;
  VarianceDifference launches;
};

double one_step(Noise& noise, bool skewed) {
  if (!skewed) return noise.normal();
  constexpr double kSigma2 = 0.75 * 0.75;
  const double value = std::exp(std::sqrt(kSigma2) * noise.normal()) - std::exp(kSigma2 / 2);
  return value / std::sqrt((std::exp(kSigma2) - 1) * std::exp(kSigma2));
}

Drawn draw(const Model& model, Noise& noise) {
  constexpr std::size_t kBlocks = 20;
  const std::size_t length = std::max<std::size_t>(model.steps / kBlocks, 1);
  std::vector<std::vector<double>> blocks;
  std::vector<double> logs;
  for (std::size_t launch = 0; launch < model.launches; ++launch) {
    const double level = std::exp(model.launch_sd * noise.normal());
    double state = noise.normal();
    std::vector<double> steps(model.steps);
    for (double& step : steps) {
      state =
          model.alike * state + std::sqrt(1 - square(model.alike)) * one_step(noise, model.skewed);
      step = level * (1 + model.step_sd * state);
    }
    const auto mean = [](auto begin, auto end) {
      return std::accumulate(begin, end, 0.0) / static_cast<double>(end - begin);
    };
    const double own = mean(steps.begin(), steps.end());
    logs.push_back(std::log(own));
    std::vector<double>& relative = blocks.emplace_back();
    for (auto at = steps.begin(); steps.end() - at >= static_cast<std::ptrdiff_t>(length);
         at += static_cast<std::ptrdiff_t>(length)) {
      relative.push_back(mean(at, at + static_cast<std::ptrdiff_t>(length)) / own);
    }
  }
  const std::vector<double> lengths(model.launches, static_cast<double>(length));
  Drawn drawn;
  drawn.steps = long_run_variance(blocks, lengths);
  const MeanSquare total{square(stats::standard_deviation(logs)),
                         static_cast<double>(model.launches - 1)};
  drawn.launches = variance_difference(
      total, {drawn.steps.variance / static_cast<double>(model.steps), drawn.steps.degrees}, 0.95);
  return drawn;
}

struct Shares {
  double covered = 0;
  double launches = 0;  // mean estimates
  double steps = 0;
  double too_slow = 0;
};

Shares of(const Model& model, std::uint64_t seed) {
  constexpr int kTrials = 1000;
  Noise noise(seed);
  Shares shares;
  for (int trial = 0; trial < kTrials; ++trial) {
    const Drawn drawn = draw(model, noise);
    const double truth = square(model.launch_sd);
    shares.covered +=
        drawn.launches.interval.low <= truth + 1e-15 && truth <= drawn.launches.interval.high;
    shares.launches += drawn.launches.value;
    shares.steps += drawn.steps.variance;
    shares.too_slow += drawn.steps.too_slow;
  }
  for (double* sum : {&shares.covered, &shares.launches, &shares.steps, &shares.too_slow}) {
    *sum /= kTrials;
  }
  return shares;
}

TEST(VarianceComponents, Interval_HoldsTheLaunchPart) {
  std::uint64_t seed = 52'801;
  for (const bool skewed : {false, true}) {
    for (const std::size_t launches : {6, 10, 20}) {
      for (const std::size_t steps : {60, 400}) {
        for (const double launch_sd : {0.0, 0.003, 0.01}) {
          const Model model{
              .launches = launches, .steps = steps, .launch_sd = launch_sd, .skewed = skewed};
          const Shares shares = of(model, ++seed);
          EXPECT_GE(shares.covered, 0.925) << model.name();
          EXPECT_LE(shares.covered, 0.995) << model.name();
          EXPECT_NEAR(shares.steps / model.long_run(), 1, 0.06) << model.name();
          if (launch_sd > 0.005) {
            EXPECT_NEAR(std::sqrt(shares.launches), launch_sd, 0.0006) << model.name();
          }
        }
      }
    }
  }
}

TEST(VarianceComponents, CorrelatedSteps_CountForMore) {
  const Model model{.steps = 400, .launch_sd = 0.003, .alike = 0.8};
  const Shares shares = of(model, 52'901);
  EXPECT_NEAR(shares.steps / model.long_run(), 1, 0.2);
  EXPECT_GE(shares.covered, 0.92);
  EXPECT_LE(shares.too_slow, 0.01);
}

TEST(VarianceComponents, WanderingSteps_AreNotSplit) {
  EXPECT_GE(of({.steps = 60, .alike = 0.95}, 52'902).too_slow, 0.95);
  EXPECT_LE(of({.steps = 60, .alike = 0}, 52'903).too_slow, 0.001);
}

TEST(VarianceComponents, RepeatedPattern_IsNoNoise) {
  Noise noise(52'905);
  std::vector<std::vector<double>> blocks(10);
  for (std::vector<double>& each : blocks) {
    for (int block = 0; block < 20; ++block) {
      each.push_back(1 + (block % 5 == 0 ? 0.5 : 0) + 0.01 * noise.normal());
    }
  }
  const LongRunVariance found = long_run_variance(blocks, std::vector<double>(10, 1));
  EXPECT_FALSE(found.too_slow);
  EXPECT_NEAR(std::sqrt(found.variance), 0.01, 0.002);
}

TEST(VarianceComponents, FewBlocks_HaveNoDegrees) {
  const std::vector<std::vector<double>> blocks = {{1, 1.1, 0.9}, {1, 1, 1}};
  EXPECT_EQ(long_run_variance(blocks, std::vector<double>{1, 1}).degrees, 0);
}

// Launches within runs of builds: unequal numbers of each.
TEST(VarianceComponents, UnequalRunsAndBuilds_AreSplit) {
  constexpr int kTrials = 1000;
  constexpr double kBuild = 0.02;
  constexpr double kRun = 0.01;
  constexpr double kLaunch = 0.005;
  Noise noise(52'904);
  double runs = 0;
  double builds = 0;
  double covered_runs = 0;
  double covered_builds = 0;
  for (int trial = 0; trial < kTrials; ++trial) {
    std::vector<NestedValue> values;
    std::size_t run = 0;
    for (std::size_t build = 0; build < 6; ++build) {
      const double of_build = kBuild * noise.normal();
      for (std::size_t i = 0; i < 2 + build % 3; ++i, ++run) {
        const double of_run = kRun * noise.normal();
        for (std::size_t launch = 0; launch < 3 + run % 5; ++launch) {
          values.push_back({build, run, of_build + of_run + kLaunch * noise.normal()});
        }
      }
    }
    const NestedVariances found = nested_variances(values, 0.95);
    ASSERT_TRUE(found.inner_known && found.outer_known);
    EXPECT_EQ(found.outer_groups, 6U);
    EXPECT_EQ(found.inner_groups, run);
    runs += found.inner.value / kTrials;
    builds += found.outer.value / kTrials;
    const auto holds = [](const VarianceDifference& one, double sd) {
      return one.interval.low <= sd * sd && sd * sd <= one.interval.high;
    };
    covered_runs += holds(found.inner, kRun) / static_cast<double>(kTrials);
    covered_builds += holds(found.outer, kBuild) / static_cast<double>(kTrials);
  }
  EXPECT_NEAR(std::sqrt(runs), kRun, 0.0007);
  EXPECT_NEAR(std::sqrt(builds), kBuild, 0.0015);
  EXPECT_GE(covered_runs, 0.93);
  EXPECT_GE(covered_builds, 0.93);
}

TEST(VarianceComponents, OneRunPerBuild_IsNotSplit) {
  const std::vector<NestedValue> values = {{0, 0, 1}, {0, 0, 2}, {1, 1, 3}, {1, 1, 4}};
  EXPECT_FALSE(nested_variances(values, 0.95).inner_known);
}

}  // namespace
}  // namespace stepbench::estimate
