// SPDX-License-Identifier: Apache-2.0
#include "harness/verdict/pairs.h"

#include "harness/stats/comparisons.h"
#include "tests/testing.h"
#include "tests/unit/stats/noise.h"

namespace stepbench::verdict {
namespace {

constexpr double kUnbounded = std::numeric_limits<double>::infinity();

std::vector<double> drawn(Noise& noise, std::size_t pairs, double centre, double sd) {
  std::vector<double> all(pairs);
  for (double& one : all) one = centre + sd * noise.normal();
  return all;
}

Estimate of(Pairs pairs) { return estimate(pairs, spread({&pairs, 1})); }

TEST(Pairs, AnyNumber_GivesANumber) {
  Noise noise(11);
  for (std::size_t n = 1; n <= 1000; n += n < 20 ? 1 : 97) {
    for (const double sd : {0.0, 1e-12, .01, 3.0}) {
      const Estimate one = of(drawn(noise, n, .02, sd));
      const stats::Interval range = interval(one, .01);
      EXPECT_TRUE(std::isfinite(one.value)) << n;
      EXPECT_LE(range.low, one.value) << n;
      EXPECT_GE(range.high, one.value) << n;
      EXPECT_EQ(std::isnan(p_value(one)), n == 1) << n;
    }
  }
}

TEST(Pairs, OnePair_DecidesNothing) {
  const std::vector<double> one{.5};
  const stats::Interval range = interval(of(one), .01);
  EXPECT_EQ(range.low, -kUnbounded);
  EXPECT_EQ(range.high, kUnbounded);
  EXPECT_EQ(estimate({}, {}).variance, kUnbounded);
}

TEST(Pairs, EqualPairs_AreCertain) {
  const std::vector<double> equal(4, .03);
  const stats::Interval range = interval(of(equal), .01);
  EXPECT_DOUBLE_EQ(range.low, .03);
  EXPECT_DOUBLE_EQ(range.high, .03);
  EXPECT_EQ(p_value(of(equal)), 0);
  const std::vector<double> none(4, 0);
  EXPECT_EQ(p_value(of(none)), 1);
}

TEST(Pairs, MirroredOrShifted_GiveTheSame) {
  Noise noise(12);
  for (int trial = 0; trial < 50; ++trial) {
    std::vector<double> pairs = drawn(noise, 9, .01, .02);
    const Estimate before = of(pairs);
    std::ranges::reverse(pairs);
    for (double& one : pairs) one = .5 - one;
    const Estimate after = of(pairs);
    EXPECT_NEAR(after.value, .5 - before.value, 1e-12);
    EXPECT_NEAR(after.variance, before.variance, 1e-14);
    EXPECT_EQ(after.freedom, before.freedom);
  }
}

TEST(Pairs, LaunchOfTwiceTheTime_MovesLittle) {
  Noise noise(13);
  std::vector<double> pairs = drawn(noise, 10, 0, .01);
  const Estimate without = of(pairs);
  pairs.back() = std::log(2);
  const Estimate with = of(pairs);
  EXPECT_NEAR(with.value, without.value, .005);
  EXPECT_LT(with.variance, 4 * without.variance);
}

TEST(Spread, Blocks_IgnoreTheirCentres) {
  Noise noise(14);
  std::vector<std::vector<double>> blocks;
  for (int i = 0; i < 200; ++i) blocks.push_back(drawn(noise, 4, i % 7, .01));
  const std::vector<Pairs> views(blocks.begin(), blocks.end());
  const PairSpread pooled = spread(views);
  EXPECT_EQ(pooled.freedom, 600);
  EXPECT_NEAR(pooled.sd, .01, .0008);
}

// Share of 4,000 draws in which the interval of the first of `blocks` includes the true value. They
// share one spread.
double coverage(std::uint64_t seed, std::size_t pairs, std::size_t blocks) {
  constexpr int kTrials = 4000;
  Noise noise(seed);
  int covered = 0;
  for (int trial = 0; trial < kTrials; ++trial) {
    std::vector<std::vector<double>> all;
    for (std::size_t i = 0; i < blocks; ++i) all.push_back(drawn(noise, pairs, .02, .01));
    const std::vector<Pairs> views(all.begin(), all.end());
    const stats::Interval range = interval(estimate(views.front(), spread(views)), .025);
    covered += range.low <= .02 && .02 <= range.high;
  }
  return static_cast<double>(covered) / kTrials;
}

TEST(Interval, OwnSpread_HoldsTheTruth) {
  for (const std::size_t pairs : {10, 40}) {
    EXPECT_GE(coverage(20 + pairs, pairs, 1), .94) << pairs;
    EXPECT_LE(coverage(20 + pairs, pairs, 1), .97) << pairs;
  }
}

TEST(Interval, FewPairsAndPooledSpread_Hold) {
  for (const std::size_t pairs : {2, 4}) {
    EXPECT_GE(coverage(30 + pairs, pairs, 12), .94) << pairs;
    EXPECT_LE(coverage(30 + pairs, pairs, 12), .97) << pairs;
  }
}

TEST(Interval, Layout_WidensIt) {
  const std::vector<double> pairs{.010, .011, .012, .013};
  const PairSpread of_pairs = spread({{Pairs(pairs)}});
  const Estimate plain = estimate(pairs, of_pairs);
  const Estimate built = estimate(pairs, of_pairs, .005);
  EXPECT_NEAR(built.variance, plain.variance + 2 * .005 * .005, 1e-15);
}

// Four launches of one program ran on a core that others used, and none of the other program.
TEST(Interval, PartlySlowedPairs_IncludeZero) {
  const std::vector<double> pairs{.69, .01, .70, -.01, .02, .68, -.02, .69, 0, .01};
  EXPECT_GT(interval(of(pairs), .01).low, -.1);
  EXPECT_LT(interval(pairs, of(pairs), .01).low, 0);
  EXPECT_GE(interval(pairs, of(pairs), .01).high, .69);
  EXPECT_GT(p_value(pairs, of(pairs)), .05);
}

TEST(Interval, OwnPairs_AreNoNarrowerThanEither) {
  Noise noise(15);
  for (int trial = 0; trial < 50; ++trial) {
    const std::vector<double> pairs = drawn(noise, 10, .01, .02);
    const stats::Interval own = interval(pairs, of(pairs), .025);
    const stats::Interval student = interval(of(pairs), .025);
    const stats::Interval ranks = stats::hodges_lehmann(pairs, .95).interval;
    EXPECT_EQ(own.low, std::min(student.low, ranks.low));
    EXPECT_EQ(own.high, std::max(student.high, ranks.high));
  }
}

TEST(Mean, Estimates_AreWeightedByError) {
  const std::vector<Estimate> both{{0, 1, 10}, {1, .25, 4}};
  const Estimate together = mean(both);
  EXPECT_DOUBLE_EQ(together.value, .8);
  EXPECT_DOUBLE_EQ(together.variance, .2);
  EXPECT_EQ(together.freedom, 4);
  const std::vector<Estimate> exact{{.5, 0, 3}, {0, 1, 3}};
  EXPECT_NEAR(mean(exact).value, .5, 1e-12);
}

TEST(Layout, ManyBuilds_ShowIt) {
  for (const double truth : {0.0, .005, .02}) {
    Noise noise(31);
    std::vector<Estimate> builds;
    for (int i = 0; i < 2000; ++i) {
      builds.push_back({std::hypot(truth, .003) * noise.normal(), .003 * .003, 100});
    }
    EXPECT_NEAR(layout(builds, .005, 20), std::max(truth, .002), .0012) << truth;
    EXPECT_NEAR(layout(std::span(builds).first(1), .005, 20), .005, 1e-12);
  }
}

TEST(ClaimedSize, BarelyPassed_IsSmaller) {
  const Estimate estimate{.015, 1e-6, 30};
  const double barely = claimed_size(estimate, .0149, .01);
  const double clearly = claimed_size(estimate, .010, .01);
  EXPECT_LT(barely, .0145);
  EXPECT_GE(barely, .01);
  EXPECT_NEAR(clearly, .015, 1e-5);
  EXPECT_EQ(claimed_size({.02, 0, 3}, .01, .01), .02);
}

}  // namespace
}  // namespace stepbench::verdict
