// SPDX-License-Identifier: Apache-2.0
#include "harness/stats/comparisons.h"

#include <bit>

#include "harness/stats/random.h"
#include "tests/testing.h"

namespace stepbench::stats {
namespace {

double u_statistic(const std::vector<double>& x, const std::vector<double>& y) {
  double u = 0;
  for (const double a : x) {
    for (const double b : y) u += a > b ? 1 : a == b ? 0.5 : 0;
  }
  return u;
}

// P(U <= limit) over all ways to call `m` of the pooled values x.
double enumerated_at_most(const std::vector<double>& pooled, std::size_t m, double limit) {
  double hits = 0;
  double all = 0;
  for (unsigned mask = 0; mask < (1U << pooled.size()); ++mask) {
    if (std::popcount(mask) != static_cast<int>(m)) continue;
    std::vector<double> x;
    std::vector<double> y;
    for (std::size_t i = 0; i < pooled.size(); ++i) {
      ((mask >> i) & 1U ? x : y).push_back(pooled[i]);
    }
    ++all;
    if (u_statistic(x, y) <= limit) ++hits;
  }
  return hits / all;
}

TEST(MannWhitney, SmallestP_IsTheTabulatedOne) {
  const std::vector<double> expected{.1, .029, .0079, .0022, 5.8e-4, 1.6e-4, 4.1e-5};  // n = 3..9
  for (std::size_t n = 3; n <= 9; ++n) {
    std::vector<double> low(n);
    std::iota(low.begin(), low.end(), 0.0);
    std::vector<double> high(n);
    std::iota(high.begin(), high.end(), 100.0);
    const double p = mann_whitney(low, high).p_two_sided;
    EXPECT_NEAR(p / expected[n - 3], 1, 0.03) << n;  // the table has two digits
  }
}

TEST(MannWhitney, TiedValues_MatchEnumeration) {
  Random random(7);
  for (int trial = 0; trial < 120; ++trial) {
    const std::size_t m = 2 + random.below(4);
    const std::size_t n = 2 + random.below(4);
    const std::uint32_t distinct = trial % 3 == 0 ? 1000000 : 2 + random.below(5);
    std::vector<double> x(m);
    std::vector<double> y(n);
    for (double& value : x) value = random.below(distinct);
    for (double& value : y) value = random.below(distinct);
    std::vector<double> pooled(x);
    pooled.insert(pooled.end(), y.begin(), y.end());
    const double u = u_statistic(x, y);
    const double half = static_cast<double>(m * n) / 2;
    const double smaller = std::min(u, 2 * half - u);
    const double expected =
        u == half ? 1 : std::min(1.0, 2 * enumerated_at_most(pooled, m, smaller));
    const MannWhitney test = mann_whitney(x, y);
    EXPECT_EQ(test.u, u);
    EXPECT_NEAR(test.p_two_sided, test.all_equal ? 1 : expected, 1e-12);
  }
}

TEST(MannWhitney, SwappedArms_MirrorTheResult) {
  const std::vector<double> x{1, 5, 6, 7, 9};
  const std::vector<double> y{2, 3, 4, 8};
  EXPECT_EQ(mann_whitney(x, y).u + mann_whitney(y, x).u, 20);
  EXPECT_DOUBLE_EQ(mann_whitney(x, y).p_two_sided, mann_whitney(y, x).p_two_sided);
}

TEST(MannWhitney, EqualValues_ClaimNothing) {
  const MannWhitney test = mann_whitney(std::vector(6, 100.0), std::vector(6, 100.0));
  EXPECT_TRUE(test.all_equal);
  EXPECT_EQ(test.p_two_sided, 1);
  EXPECT_EQ(mann_whitney({}, std::vector{1.0}).p_two_sided, 1);
}

TEST(MannWhitney, NormalApproximation_MeetsTheExactLaw) {
  std::vector<double> x(50);
  std::vector<double> y(50);
  for (std::size_t i = 0; i < 50; ++i) {
    x[i] = static_cast<double>(2 * i);
    y[i] = static_cast<double>(2 * i) + 15;
  }
  const double exact = mann_whitney(x, y).p_two_sided;
  x.push_back(49.5);
  const MannWhitney normal = mann_whitney(x, y);
  EXPECT_FALSE(normal.exact);
  EXPECT_NEAR(normal.p_two_sided / exact, 1, 0.1);
}

// Ranks by the published critical values of U: 6 for 6 and 7 values, 13 for 8 and 8.
TEST(TwoSampleShift, SmallSamples_GiveMedianDifference) {
  const std::vector<double> x = {1.1, 2.4, 3.2, 4.7, 5.9, 6.3};
  const std::vector<double> y = {3.5, 4.4, 6.1, 7.7, 8.2, 9.9, 10.4};
  EXPECT_EQ(difference_rank(6, 7, 0.05), 7U);
  EXPECT_EQ(difference_rank(8, 8, 0.05), 14U);
  EXPECT_EQ(difference_rank(3, 3, 0.05), 0U);
  EXPECT_EQ(difference_rank(0, 5, 0.05), 0U);
  const HodgesLehmann shift = hodges_lehmann(x, y, 0.95);
  EXPECT_NEAR(shift.centre, 3.4, 1e-12);
  EXPECT_NEAR(shift.interval.low, -0.2, 1e-12);
  EXPECT_NEAR(shift.interval.high, 6.7, 1e-12);
  EXPECT_TRUE(std::isinf(hodges_lehmann(std::vector{1.0, 2.0, 3.0}, x, 0.999).interval.high));
  EXPECT_TRUE(std::isnan(hodges_lehmann({}, x, 0.95).centre));
}

TEST(TwoSampleShift, RejectingTest_ExcludesZero) {
  Random random(20261);
  for (int trial = 0; trial < 2000; ++trial) {
    std::vector<double> x(6 + random.below(10));
    std::vector<double> y(6 + random.below(10));
    for (double& value : x) value = random.unit();
    for (double& value : y) value = random.unit() + 0.3;
    const Interval interval = hodges_lehmann(x, y, 0.95).interval;
    const bool excluded = interval.low > 0 || interval.high < 0;
    EXPECT_EQ(excluded, mann_whitney(x, y).p_two_sided <= 0.05) << trial;
  }
}

TEST(TwoSampleShift, LargeSamples_NearlyHaveExactRanks) {
  const double exact = static_cast<double>(difference_rank(50, 50, 0.05));
  const double approximate = static_cast<double>(difference_rank(50, 51, 0.05));
  EXPECT_NEAR(approximate / exact, 51.0 / 50, 0.01);
}

TEST(MannWhitney, LeastP_IsOfCompleteSeparation) {
  EXPECT_NEAR(log_least_mann_whitney_p(8, 8), std::log(2.0 / 12870), 1e-12);
  EXPECT_NEAR(log_least_mann_whitney_p(7, 7), std::log(2.0 / 3432), 1e-12);
  EXPECT_NEAR(log_least_mann_whitney_p(20, 8), std::log(2.0 / 3108105), 1e-12);
}

TEST(MannWhitney, ManyValues_LowerTheLeastP) {
  for (const std::size_t n : {540U, 541U, 5'000U, 100'000U}) {
    EXPECT_LT(log_least_mann_whitney_p(n + 1, n + 1), log_least_mann_whitney_p(n, n)) << n;
  }
}

TEST(TwoSampleShift, ManyValues_MatchTheList) {
  Random random(20261128);
  for (const double step : {0.0, 0.25}) {  // of a grid, on which many are tied
    std::vector<double> x(230);
    std::vector<double> y(211);
    for (auto* side : {&x, &y}) {
      for (double& value : *side) {
        value = random.unit();
        if (step > 0) value = std::round(value / step) * step;
      }
    }
    std::vector<double> differences;
    for (const double before : x) {
      for (const double after : y) differences.push_back(after - before);
    }
    std::sort(differences.begin(), differences.end());
    const std::size_t all = differences.size();
    const std::size_t rank = difference_rank(x.size(), y.size(), 0.02);
    const HodgesLehmann shift = hodges_lehmann(x, y, 0.98);
    EXPECT_EQ(shift.interval.low, differences[rank - 1]);
    EXPECT_EQ(shift.interval.high, differences[all - rank]);
    EXPECT_EQ(shift.centre, (differences[all / 2 - 1] + differences[all / 2]) / 2);
  }
}

}  // namespace
}  // namespace stepbench::stats
