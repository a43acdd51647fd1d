// SPDX-License-Identifier: Apache-2.0
// Small formulas, compared with published values and those of numpy and scipy.
#include "harness/stats/comparisons.h"
#include "tests/testing.h"
#include "tests/unit/stats/noise.h"

namespace stepbench::stats {
namespace {

TEST(BenjaminiHochberg, PublishedExample_IsMatched) {
  const std::vector<double> p{.001, .008, .039, .041, .042, .06, .074, .205, .212, .216};
  const std::vector<double> expected{.01, .04, .084, .084, .084, .1, .1057, .216, .216, .216};
  const FalseDiscovery result = benjamini_hochberg(p);
  for (std::size_t i = 0; i < p.size(); ++i) {
    EXPECT_NEAR(result.adjusted[i], expected[i], 5e-5) << i;
    EXPECT_EQ(result.rejected(i, 0.05), i < 2) << i;
  }
}

TEST(BenjaminiHochberg, Order_DoesNotMatter) {
  std::vector<double> p{.2, .01, .03, .01, .5};
  const FalseDiscovery forward = benjamini_hochberg(p);
  std::reverse(p.begin(), p.end());
  const FalseDiscovery backward = benjamini_hochberg(p);
  for (std::size_t i = 0; i < p.size(); ++i) {
    EXPECT_EQ(forward.adjusted[i], backward.adjusted[p.size() - 1 - i]);
  }
}

TEST(BenjaminiHochberg, NaN_CountsWithoutARank) {
  const FalseDiscovery result = benjamini_hochberg(std::vector<double>{.04, NAN, .5});
  EXPECT_EQ(result.family, 2u);
  EXPECT_EQ(result.not_a_number, 1u);
  EXPECT_DOUBLE_EQ(result.adjusted[0], .08);
  EXPECT_TRUE(std::isnan(result.adjusted[1]));
  EXPECT_FALSE(result.rejected(1, 0.05));
  EXPECT_TRUE(benjamini_hochberg({}).adjusted.empty());
}

TEST(EffectSize, PairsAbove_AreCounted) {
  const std::vector<double> a{1, 2, 3};
  const std::vector<double> b{2, 3, 4};
  EXPECT_DOUBLE_EQ(cles(a, b), 7.0 / 9);
  EXPECT_DOUBLE_EQ(cles(a, a), 0.5);
  EXPECT_DOUBLE_EQ(paired_cles(std::vector{1.0, -1.0, 0.0, 2.0}), 0.625);
  EXPECT_TRUE(std::isnan(paired_cles({})));
  EXPECT_TRUE(std::isnan(cles({}, b)));
}

TEST(PairsNeeded, WorkedExample_IsMatched) {
  EXPECT_EQ(pairs_needed(0.02, 0.0145, 0.01), 18u);
  EXPECT_EQ(pairs_needed(0.0, 0.0145, 0.01), 18u);
  EXPECT_EQ(pairs_needed(-0.02, 0.0145, 0.01), 18u);
}

TEST(PairsNeeded, NearTheMargin_IsBounded) {
  EXPECT_EQ(pairs_needed(0.01, 0.0145, 0.01), pairs_needed(0.0125, 0.0145, 0.01));
  EXPECT_EQ(pairs_needed(0.01, 0.5, 0.01), kMaxPairsNeeded + 1);
}

TEST(PairsNeeded, NoNoiseOrMargin_IsFinite) {
  EXPECT_EQ(pairs_needed(0.02, 0, 0.01), 0u);
  EXPECT_EQ(pairs_needed(0, 0, 0), 0u);
  EXPECT_EQ(pairs_needed(0, 0.01, 0), kMaxPairsNeeded + 1);
  EXPECT_EQ(pairs_needed(NAN, 0.01, 0.01), kMaxPairsNeeded + 1);
}

TEST(LargestShare, NoneSeen_IsOneMinusARoot) {
  EXPECT_NEAR(largest_share(0, 10, 0.95), 1 - std::pow(0.05, 0.1), 1e-15);
  EXPECT_NEAR(largest_share(0, 40, 0.95), 0.0722, 1e-4);
  EXPECT_EQ(largest_share(0, 0, 0.95), 1);
}

TEST(LargestShare, SomeSeen_AreClopperPearson) {
  EXPECT_NEAR(largest_share(1, 40, 0.95), 0.11318836094473754, 1e-9);
  EXPECT_NEAR(largest_share(3, 20, 0.95), 0.3436638043142818, 1e-9);
  EXPECT_EQ(largest_share(5, 5, 0.95), 1);
}

TEST(FisherExact, SmallTables_MatchScipy) {
  EXPECT_NEAR(fisher_exact_p(4, 40, 0, 40), 0.11556797632746996, 1e-9);
  EXPECT_NEAR(fisher_exact_p(0, 40, 4, 40), 0.11556797632746996, 1e-9);
  EXPECT_NEAR(fisher_exact_p(1, 20, 0, 20), 1, 1e-12);
  EXPECT_NEAR(fisher_exact_p(7, 10, 2, 10), 0.06977851869492736, 1e-9);
  EXPECT_NEAR(fisher_exact_p(0, 10, 0, 12), 1, 1e-12);
}

TEST(MeanRatio, Pairs_UseCochran) {
  const MeanRatio mean =
      paired_mean_ratio(std::vector{1.0, 1.1, 0.9, 1.2}, std::vector{1.3, 1.1, 1.4, 1.5}, 0.95);
  EXPECT_NEAR(mean.ratio, 1.261904761904762, 1e-12);
  EXPECT_NEAR(mean.interval.low, 0.9179930244668698, 1e-9);
  EXPECT_NEAR(mean.interval.high, 1.6058164993426542, 1e-9);
}

TEST(MeanRatio, UnpairedSamples_UseWelch) {
  const MeanRatio mean =
      mean_ratio(std::vector{1.0, 1.1, 0.9, 1.2, 1.0}, std::vector{1.3, 1.1, 1.4, 1.5}, 0.95);
  EXPECT_NEAR(mean.ratio, 1.2740384615384617, 1e-12);
  EXPECT_NEAR(mean.interval.low, 1.0213539184918177, 1e-9);
  EXPECT_NEAR(mean.interval.high, 1.5267230045851057, 1e-9);
}

TEST(MeanRatio, CommonChange_Cancels) {
  Noise noise(7);
  std::vector<double> a(20);
  std::vector<double> b(20);
  for (std::size_t i = 0; i < a.size(); ++i) {
    const double level = 100 * static_cast<double>(i + 1);
    a[i] = level;
    b[i] = level * (1.1 + 0.001 * noise.normal());
  }
  const MeanRatio paired = paired_mean_ratio(a, b, 0.95);
  EXPECT_LT(paired.interval.high - paired.interval.low, 0.002);
  EXPECT_GT(mean_ratio(a, b, 0.95).interval.high, 1.4);
}

TEST(MeanRatio, SingleValueOrZeros_AreUnknown) {
  EXPECT_TRUE(
      std::isinf(paired_mean_ratio(std::vector{1.0}, std::vector{2.0}, 0.95).interval.high));
  EXPECT_TRUE(std::isinf(mean_ratio(std::vector{1.0, 2.0}, std::vector{2.0}, 0.95).interval.high));
  const std::vector<double> zeros(8, 0.0);
  EXPECT_EQ(paired_mean_ratio(zeros, zeros, 0.95).interval.high, 1) << "nothing became nothing";
  EXPECT_TRUE(std::isinf(mean_ratio(zeros, std::vector(8, 1.0), 0.95).interval.high));
  EXPECT_EQ(mean_ratio(std::vector(8, 2.0), std::vector(8, 3.0), 0.95).interval.low, 1.5);
}

}  // namespace
}  // namespace stepbench::stats
