// SPDX-License-Identifier: Apache-2.0
#include "harness/estimate/noise.h"

#include "tests/testing.h"
#include "tests/unit/estimate/made_launch.h"
#include "tests/unit/stats/noise.h"

namespace stepbench::estimate {
namespace {

double launch_sd_at(const CaseNoise& noise, double steps) {
  return std::hypot(noise.launch_sd, *noise.step_sd / std::sqrt(steps));
}

constexpr std::int64_t kOverheadNs = 3'000'000;

record::Launch drawn_launch(Noise& noise, std::size_t steps, double launch_sd, double step_sd) {
  const double level = 1e6 * std::exp(launch_sd * noise.normal());
  std::vector<std::int64_t> step_ns(steps);
  std::int64_t window = 0;
  for (std::int64_t& step : step_ns) {
    step = std::llround(level * (1 + step_sd * noise.normal()));
    window += step;
  }
  record::Launch launch = made_launch({"step_ns"}, {step_ns});
  launch.row.wall_ns = window + kOverheadNs;
  return launch;
}

record::Results drawn(std::uint64_t seed, std::size_t launches, std::size_t steps, double launch_sd,
                      double step_sd) {
  Noise noise(seed);
  std::vector<record::Launch> all;
  for (std::size_t i = 0; i < launches; ++i) {
    all.push_back(drawn_launch(noise, steps, launch_sd, step_sd));
  }
  return made_results(std::move(all));
}

TEST(CaseNoise, StoredSamples_SplitStepAndLaunchNoise) {
  const record::Results results = drawn(71'001, 40, 200, 0.01, 0.05);
  const auto noise = noise_of(case_rows(results).front());
  ASSERT_TRUE(noise && noise->step_sd);
  EXPECT_NEAR(*noise->step_sd, 0.05, 0.004);
  EXPECT_NEAR(noise->launch_sd, 0.01, 0.0025);
  EXPECT_LE(noise->launch_interval.low, 0.01);
  EXPECT_GE(noise->launch_interval.high, 0.01);
  EXPECT_NEAR(noise->total_sd, std::hypot(0.01, 0.05 / std::sqrt(200)), 0.003);
  EXPECT_NEAR(launch_sd_at(*noise, 200), noise->total_sd, 1e-9) << "the parts sum to what was seen";
  EXPECT_NEAR(noise->overhead_ns.value(), kOverheadNs, 1);
  EXPECT_NEAR(noise->step_ns, 1e6, 1e4);
  EXPECT_NEAR(noise->steps, 200, 1e-9);
}

TEST(CaseNoise, StepNoiseAlone_LeavesNoLaunchNoise) {
  const record::Results results = drawn(71'002, 20, 100, 0, 0.05);
  const auto noise = noise_of(case_rows(results).front());
  ASSERT_TRUE(noise);
  EXPECT_EQ(noise->launch_interval.low, 0);
  EXPECT_LT(noise->launch_interval.high, 0.006);
}

// The prediction must match the behaviour of longer launches.
TEST(CaseNoise, ShortLaunches_PredictLongerOnes) {
  const record::Results shorter = drawn(71'003, 30, 40, 0.002, 0.06);
  const record::Results longer = drawn(71'004, 30, 640, 0.002, 0.06);
  const auto seen = noise_of(case_rows(shorter).front());
  const auto then = noise_of(case_rows(longer).front());
  ASSERT_TRUE(seen && then && seen->step_sd);
  EXPECT_NEAR(launch_sd_at(*seen, 640) / then->total_sd, 1, 0.45);
  EXPECT_GT(seen->total_sd, 2 * then->total_sd);
}

TEST(CaseNoise, TwoOrSmokeLaunches_HaveNoNoise) {
  EXPECT_FALSE(noise_of(case_rows(drawn(71'005, 2, 100, 0, 0.05)).front()));
  record::Results smoke = drawn(71'006, 6, 100, 0, 0.05);
  for (record::Launch& launch : smoke.launches) launch.row.smoke = true;
  EXPECT_FALSE(noise_of(case_rows(smoke).front()));
}

TEST(CaseNoise, ThreeSteps_AreNotSplit) {
  const record::Results results = drawn(71'007, 6, 3, 0.01, 0.05);
  const auto noise = noise_of(case_rows(results).front());
  ASSERT_TRUE(noise);
  EXPECT_FALSE(noise->step_sd);
  EXPECT_GT(noise->total_sd, 0);
}

TEST(CaseNoise, NoiseOverRuns_ComesFromTheRuns) {
  Noise noise(71'008);
  record::Results results;
  constexpr std::size_t kRuns = 12;
  for (std::size_t run = 0; run < kRuns; ++run) {
    results.runs.push_back({.run_id = "run" + std::to_string(run)});
    const double night = std::exp(0.02 * noise.normal());
    for (int launch = 0; launch < 5; ++launch) {
      record::Launch made = made_launch(
          {"step_ns"}, {std::vector<std::int64_t>(
                           10, std::llround(1e6 * night * std::exp(0.004 * noise.normal())))});
      made.row.key.launch = launch;
      made.run = run;
      results.launches.push_back(std::move(made));
    }
  }
  const std::vector<NoiseOverRuns> found = noise_over_runs(case_rows(results));
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].variances.inner_groups, kRuns);
  EXPECT_FALSE(found[0].variances.outer_known) << "one build";
  EXPECT_NEAR(std::sqrt(found[0].variances.within), 0.004, 0.001);
  EXPECT_LE(std::sqrt(found[0].variances.inner.interval.low), 0.02);
  EXPECT_GE(std::sqrt(found[0].variances.inner.interval.high), 0.02);
}

}  // namespace
}  // namespace stepbench::estimate
