// SPDX-License-Identifier: Apache-2.0
#include "harness/stats/comparisons.h"

#include <random>

#include "tests/testing.h"

namespace stepbench::stats {
namespace {

TEST(SignedRank, TenDifferences_MatchEnumeration) {
  const std::vector<double> d{12, 8, -3, 15, 10, 7, 11, -1, 9, 13};
  const SignedRank test = signed_rank(d);
  EXPECT_EQ(test.n, 10u);
  EXPECT_EQ(test.w, 52);
  EXPECT_DOUBLE_EQ(test.p_two_sided, 0.009765625);
  const HodgesLehmann estimate = hodges_lehmann(d, 0.95);
  EXPECT_EQ(estimate.centre, 9);
  EXPECT_EQ(estimate.interval.low, 3.5);
  EXPECT_EQ(estimate.interval.high, 12);
}

TEST(SignedRank, ZerosAndTies_DropAndShareRanks) {
  const std::vector<double> d{2, 2, -1, 0, 3, 1, -2, 4, 0, 2};
  const SignedRank test = signed_rank(d);
  EXPECT_EQ(test.n, 8u);
  EXPECT_EQ(test.zeros, 2u);
  EXPECT_EQ(test.w, 30);
  EXPECT_DOUBLE_EQ(test.p_two_sided, 0.125);
  const HodgesLehmann estimate = hodges_lehmann(d, 0.95);
  EXPECT_EQ(estimate.centre, 1);
  EXPECT_EQ(estimate.interval.low, 0);
  EXPECT_EQ(estimate.interval.high, 2.5);
}

TEST(SignedRank, NoneOrZeros_ClaimNothing) {
  EXPECT_EQ(signed_rank({}).p_two_sided, 1);
  EXPECT_EQ(signed_rank(std::vector{0.0, 0.0, 0.0}).p_two_sided, 1);
}

TEST(SignedRank, SmallestP_IsAPowerOfTwo) {
  for (const std::size_t n : {5, 6, 8, 10, 20, 50}) {
    const std::vector<double> same(n, 1.0);
    EXPECT_DOUBLE_EQ(signed_rank(same).p_two_sided, std::ldexp(1.0, 1 - static_cast<int>(n))) << n;
  }
}

TEST(HodgesLehmann, ManyValues_MatchTheList) {
  std::mt19937_64 random(20261123);
  for (const std::size_t n : {7U, 8U, 201U, 202U, 333U}) {
    for (const double step : {0.0, 0.25, 1.0}) {  // of a grid, on which many are tied
      std::vector<double> values(n);
      for (double& value : values) {
        value = std::normal_distribution<>(0.1, 1)(random);
        if (step > 0) value = std::round(value / step) * step;
      }
      std::vector<double> averages;
      for (std::size_t i = 0; i < n; ++i) {
        for (std::size_t j = i; j < n; ++j) averages.push_back((values[i] + values[j]) / 2);
      }
      std::sort(averages.begin(), averages.end());
      const std::size_t m = averages.size();
      const std::size_t rank = walsh_rank(n, 0.02);
      const HodgesLehmann estimate = hodges_lehmann(values, 0.98);
      EXPECT_EQ(estimate.interval.low, averages[rank - 1]);
      EXPECT_EQ(estimate.interval.high, averages[m - rank]);
      EXPECT_EQ(estimate.centre,
                m % 2 == 1 ? averages[m / 2] : (averages[m / 2 - 1] + averages[m / 2]) / 2);
    }
  }
}

TEST(HodgesLehmann, Ranks_AreThePublishedOnes) {
  const std::vector<std::size_t> n{5, 6, 8, 10, 12, 15, 20, 25, 30, 40, 50};
  const std::vector<std::size_t> two_sided_95{0, 1, 4, 9, 14, 26, 53, 90, 138, 265, 435};
  const std::vector<std::size_t> two_sided_99{0, 0, 1, 4, 8, 16, 38, 69, 110, 221, 374};
  const std::vector<std::size_t> one_sided_95{1, 3, 6, 11, 18, 31, 61, 101, 152, 287, 467};
  for (std::size_t i = 0; i < n.size(); ++i) {
    EXPECT_EQ(walsh_rank(n[i], 0.05), two_sided_95[i]) << n[i];
    EXPECT_EQ(walsh_rank(n[i], 0.01), two_sided_99[i]) << n[i];
    EXPECT_EQ(walsh_rank(n[i], 0.10), one_sided_95[i]) << n[i];
  }
}

TEST(HodgesLehmann, FiveDifferences_HaveNoInterval) {
  const HodgesLehmann estimate = hodges_lehmann(std::vector{1.0, 2.0, 3.0, 4.0, 5.0}, 0.95);
  EXPECT_EQ(estimate.centre, 3);
  EXPECT_TRUE(std::isinf(estimate.interval.low));
  EXPECT_TRUE(std::isinf(estimate.interval.high));
}

TEST(SignInterval, Ranks_AreThePublishedOnes) {
  EXPECT_EQ(sign_rank(5, 0.05), 0u);
  EXPECT_EQ(sign_rank(6, 0.05), 1u);
  EXPECT_EQ(sign_rank(10, 0.05), 2u);
  EXPECT_EQ(sign_rank(20, 0.05), 6u);
  EXPECT_EQ(sign_rank(30, 0.05), 10u);
  EXPECT_EQ(sign_rank(40, 0.05), 14u);
}

// From 1,075 values on, the probability that all are on one side is below the range of a double.
TEST(SignInterval, ManyValues_UseTheNormalLaw) {
  for (const std::size_t n : {1'074U, 1'075U, 100'000U}) {
    const double size = static_cast<double>(n);
    EXPECT_NEAR(static_cast<double>(sign_rank(n, 0.05)), size / 2 - 0.98 * std::sqrt(size), 1.5)
        << n;
  }
}

}  // namespace
}  // namespace stepbench::stats
