// SPDX-License-Identifier: Apache-2.0
#include "harness/stats/order_statistics.h"

#include "harness/stats/random.h"
#include "tests/testing.h"

namespace stepbench::stats {
namespace {

std::optional<GroupedQuantile> quantile_of(const std::vector<std::vector<double>>& groups, double q,
                                           double confidence = 0.95) {
  const std::vector<std::span<const double>> views(groups.begin(), groups.end());
  return grouped_quantile(views, q, confidence);
}

// 1, 2, ... dealt to groups in turn, so that groups are as similar as possible.
std::vector<std::vector<double>> dealt(int groups, int each) {
  std::vector<std::vector<double>> out(static_cast<std::size_t>(groups));
  for (int i = 0; i < groups * each; ++i)
    out[static_cast<std::size_t>(i % groups)].push_back(i + 1);
  return out;
}

TEST(GroupedQuantile, EqualGroups_GiveOrderStatistics) {
  // 10,000 groups of one value: independent. Bin(10000, .5) within 1.96 * 50 of 5000.
  const auto found = quantile_of(dealt(10'000, 1), 0.5);
  EXPECT_NEAR(*found->low, 4902, 2);
  EXPECT_NEAR(*found->high, 5099, 2);
  EXPECT_NEAR(found->value, 5000.5, 0.01);
}

TEST(GroupedQuantile, ShortTail_HasNoUpperEnd) {
  const auto p999 = quantile_of(dealt(10, 10), 0.999);
  EXPECT_TRUE(p999->low);
  EXPECT_FALSE(p999->high);
  EXPECT_TRUE(quantile_of(dealt(10, 10), 0.5)->high);
  EXPECT_TRUE(quantile_of(dealt(10, 2000), 0.999)->high);
}

TEST(GroupedQuantile, DifferingGroups_CountLess) {
  std::vector<std::vector<double>> groups = dealt(8, 100);
  const auto alike = quantile_of(groups, 0.5);
  for (std::size_t i = 0; i < groups.size(); ++i) {
    for (double& x : groups[i]) x += 200.0 * static_cast<double>(i);
  }
  const auto different = quantile_of(groups, 0.5);
  EXPECT_GT(*different->high - *different->low, 5 * (*alike->high - *alike->low));
}

TEST(GroupedQuantile, OneGroup_HasNone) {
  EXPECT_FALSE(quantile_of({{1, 2, 3}}, 0.5));
  EXPECT_FALSE(quantile_of({{1, 2, 3}, {}}, 0.5));
}

// A server of one request at a time: each takes one, and launches differ by `launch_sd`.
std::vector<double> latencies(Random& random, double load, double service, int requests) {
  std::vector<double> out;
  double wait = 0;
  for (int i = -2000; i < requests; ++i) {
    if (i >= 0) out.push_back(wait + service);
    wait = std::max(0.0, wait + service + std::log(1 - random.unit()) / load);
  }
  return out;
}

double normal(Random& random) {
  double sum = -6;
  for (int i = 0; i < 12; ++i) sum += random.unit();
  return sum;
}

struct Coverage {
  double held = 0;  // share of the drawn campaigns whose interval includes the quantile
  double high = 0;  // share with an upper end
};

Coverage coverage(double load, double launch_sd, int launches, int requests, double q) {
  Random random(20'260'901);
  std::vector<double> truth;
  for (int i = 0; i < 400; ++i) {
    const double service = 1 + launch_sd * normal(random);
    for (const double x : latencies(random, load, service, 5000)) truth.push_back(x);
  }
  const double right = quantile(truth, q);
  constexpr int kCampaigns = 400;
  Coverage out;
  for (int i = 0; i < kCampaigns; ++i) {
    std::vector<std::vector<double>> groups;
    for (int launch = 0; launch < launches; ++launch) {
      groups.push_back(latencies(random, load, 1 + launch_sd * normal(random), requests));
    }
    const auto found = quantile_of(groups, q);
    const bool above = !found->low || *found->low <= right;
    const bool below = !found->high || right <= *found->high;
    out.held += above && below ? 1 : 0;
    out.high += found->high ? 1 : 0;
  }
  return {out.held / kCampaigns, out.high / kCampaigns};
}

TEST(GroupedQuantileSimulation, Queue_IsCovered) {
  for (const double load : {0.3, 0.7}) {
    for (const double q : {0.5, 0.99, 0.999}) {
      const Coverage found = coverage(load, 0.02, 8, 1000, q);
      EXPECT_GE(found.held, 0.92) << load << ' ' << q;  // 0.95 less three standard errors
      EXPECT_GE(found.high, q < 0.99 ? 1 : 0) << load;
    }
  }
}

}  // namespace
}  // namespace stepbench::stats
