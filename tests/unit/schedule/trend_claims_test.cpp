// SPDX-License-Identifier: Apache-2.0
// How often a trend is reported for a window without one, and missed for a window with one, by
// simulation. Seeded; 500 cases of six launches per number.
#include "harness/schedule/schedule.h"
#include "tests/testing.h"
#include "tests/unit/stats/noise.h"

namespace stepbench::schedule {
namespace {

using Series = std::function<std::vector<double>(Noise&)>;

constexpr int kTrials = 500;
constexpr int kTrendLaunches = 6;

WarmupVerdict judged(const std::vector<double>& steps, std::int64_t block_steps) {
  std::vector<std::int64_t> whole;
  for (const double step : steps) whole.push_back(std::llround(1000 * step));
  return judge_warmup(whole, std::vector<std::int64_t>(whole.size(), 0), block_steps);
}

bool has_trend(const WarmupVerdict& verdict) {
  return verdict.kind == WarmupVerdict::Kind::kTooShort ||
         verdict.kind == WarmupVerdict::Kind::kDrifting;
}

struct Shares {
  double launches = 0;
  double cases = 0;  // of six launches
};

Shares reported(const Series& series, std::int64_t block_steps = 1) {
  Shares shares;
  for (int trial = 0; trial < kTrials; ++trial) {
    Noise noise(7000 + static_cast<std::uint64_t>(trial));
    std::vector<WarmupVerdict> launches;
    for (int launch = 0; launch < kTrendLaunches; ++launch) {
      launches.push_back(judged(series(noise), block_steps));
      shares.launches += has_trend(launches.back());
    }
    shares.cases += has_trend(agreed(launches));
  }
  return {shares.launches / kTrials / kTrendLaunches, shares.cases / kTrials};
}

TEST(TrendClaims, WanderingSteps_AreSeldomATrend) {
  struct Case {
    double lag_1, cv, most_of_launches;
  };
  // At lag .9 and 10 %, a third of a window or more holds only two independent values: not every
  // launch can be right.
  for (const Case& one : {Case{0, 0.02, 0.01}, Case{0.5, 0.02, 0.03}, Case{0.5, 0.1, 0.07},
                          Case{0.9, 0.02, 0.13}, Case{0.9, 0.1, 0.22}}) {
    const Shares shares =
        reported([&](Noise& noise) { return noise.autoregressive(50, one.lag_1, one.cv); });
    const std::string name = "lag_" + std::to_string(one.lag_1) + "_cv_" + std::to_string(one.cv);
    RecordProperty("launches_" + name, std::to_string(shares.launches));
    RecordProperty("cases_" + name, std::to_string(shares.cases));
    EXPECT_LE(shares.launches, one.most_of_launches) << name;
    EXPECT_LE(shares.cases, 0.02) << name;
  }
}

TEST(TrendClaims, Lockstep_IsNoTrend) {
  for (const std::size_t workers : {2, 4, 8}) {
    const Shares shares = reported([&](Noise& noise) { return noise.lockstep(24, workers, 0.05); },
                                   static_cast<std::int64_t>(workers));
    EXPECT_LE(shares.launches, 0.03) << workers;
    EXPECT_LE(shares.cases, 0.001) << workers;
  }
}

TEST(TrendClaims, WarmUpInTheWindow_IsFound) {
  const Shares shares = reported([](Noise& noise) {
    std::vector<double> steps = noise.autoregressive(50, 0, 0.01);
    for (std::size_t i = 0; i < steps.size(); ++i) {
      steps[i] *= 1 + std::exp(-static_cast<double>(i) / 10);
    }
    return steps;
  });
  EXPECT_GE(shares.launches, 0.95);
  EXPECT_GE(shares.cases, 0.999);
}

TEST(TrendClaims, SlowingSteps_AreFound) {
  const auto slower = [](std::vector<double> steps) {
    for (std::size_t i = 0; i < steps.size(); ++i) {
      const bool ready = steps[i] < 100;  // taking a ready batch costs the same
      if (!ready) steps[i] *= 1 + 0.1 * static_cast<double>(i) / static_cast<double>(steps.size());
    }
    return steps;
  };
  const auto independent = [&](Noise& noise) { return slower(noise.autoregressive(50, 0, 0.02)); };
  const auto lockstep = [&](Noise& noise) { return slower(noise.lockstep(48, 4, 0.02)); };
  EXPECT_GE(reported(independent).cases, 0.999);
  EXPECT_GE(reported(lockstep, 4).cases, 0.999);
  EXPECT_LE(reported(lockstep).cases, 0.001) << "single steps do not show it: hence the blocks";
}

}  // namespace
}  // namespace stepbench::schedule
