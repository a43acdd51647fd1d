// SPDX-License-Identifier: Apache-2.0
#include "harness/stats/trend.h"

#include "harness/stats/order_statistics.h"
#include "tests/testing.h"
#include "tests/unit/stats/noise.h"

namespace stepbench::stats {
namespace {

double mean_lag_1(std::size_t n, double lag) {
  constexpr int kTrials = 400;
  double sum = 0;
  for (int trial = 0; trial < kTrials; ++trial) {
    sum += lag_1(Noise(static_cast<std::uint64_t>(trial)).autoregressive(n, lag, 0.02));
  }
  return sum / kTrials;
}

TEST(Lag1, DrawnSeries_HasTheKnownCorrelation) {
  EXPECT_NEAR(mean_lag_1(400, 0.5), 0.5, 0.03);
  EXPECT_NEAR(mean_lag_1(400, 0.9), 0.9, 0.02);
  EXPECT_NEAR(mean_lag_1(40, 0.5), 0.5, 0.08) << "a short series, with its bias added back";
  EXPECT_NEAR(mean_lag_1(40, 0.9), 0.8, 0.1);
  EXPECT_LT(mean_lag_1(40, 0), 0.12) << "never below 0, so above it on average";
}

TEST(Lag1, LineOrOutlier_BarelyMovesIt) {
  std::vector<double> values = Noise(3).autoregressive(60, 0, 0.01);
  const double without = lag_1(values);
  for (std::size_t i = 0; i < values.size(); ++i) values[i] += 50 * static_cast<double>(i);
  EXPECT_NEAR(lag_1(values), without, 1e-9);
  std::vector<double> outlier = Noise(4).autoregressive(200, 0.8, 0.02);
  const double usual = lag_1(outlier);
  outlier[100] *= 50;
  EXPECT_NEAR(lag_1(outlier), usual, 0.05);
}

TEST(Lag1, ConstantOrFewValues_AreZero) {
  EXPECT_EQ(lag_1(std::vector<double>(30, 5.0)), 0);
  EXPECT_EQ(lag_1(std::vector<double>{1, 2, 1, 2, 1}), 0);
  EXPECT_EQ(lag_1({}), 0);
  EXPECT_EQ(inflation(0), 1);
  EXPECT_DOUBLE_EQ(inflation(0.6), 2);
}

TEST(BlockMeans, SurplusValues_DropAtTheStart) {
  const std::vector<std::int64_t> steps = {99, 1, 2, 3, 4, 10, 20};
  EXPECT_EQ(block_means(steps, 3), (std::vector<double>{2, 34.0 / 3}));
  EXPECT_EQ(block_means(steps, 1).size(), 7U);
  EXPECT_TRUE(block_means(steps, 8).empty());
}

// The spread predicted from the blocks of one launch, compared with that of many launches.
TEST(SpreadOfMean, OneLaunch_PredictsManyLaunches) {
  constexpr int kLaunches = 400;
  for (const double lag : {0.0, 0.5}) {
    std::vector<double> means;
    double predicted = 0;
    for (int launch = 0; launch < kLaunches; ++launch) {
      const std::vector<double> steps =
          Noise(static_cast<std::uint64_t>(launch)).autoregressive(200, lag, 0.1);
      const std::vector<std::int64_t> whole(steps.begin(), steps.end());
      const std::vector<double> blocks = block_means(whole, 10);
      means.push_back(std::accumulate(blocks.begin(), blocks.end(), 0.0) / 20);
      const double spread = spread_of_mean(blocks);
      predicted += spread * spread / kLaunches;
    }
    EXPECT_NEAR(std::sqrt(predicted) / (robust_sd(means) / median(means)), 1, 0.25) << lag;
  }
  EXPECT_TRUE(std::isnan(spread_of_mean(std::vector<double>{1, 2, 3, 4, 5}))) << "too few blocks";
}

}  // namespace
}  // namespace stepbench::stats
