// SPDX-License-Identifier: Apache-2.0
#include "tests/gpu/overhead_verdict.h"
#include "tests/testing.h"

namespace stepbench::gpu {
namespace {

std::vector<double> around(double middle, double spread) {
  std::vector<double> ratios;
  for (int i = -20; i <= 20; ++i) ratios.push_back(middle + spread * i / 20);
  return ratios;
}

TEST(OverheadVerdict, OnePercentOrLess_Passes) {
  EXPECT_EQ(judge_overhead(around(1.002, 0.005)).verdict, "passed");
  EXPECT_EQ(judge_overhead(around(0.995, 0.005)).verdict, "passed");
  EXPECT_EQ(judge_overhead(around(1.0105, 0.005)).verdict, "passed") << "it includes 1.01";
}

TEST(OverheadVerdict, WholeIntervalAbove_Fails) {
  EXPECT_EQ(judge_overhead(around(1.02, 0.005)).verdict, "failed");
}

TEST(OverheadVerdict, WideIntervalOrFewPairs_AreTooNoisy) {
  EXPECT_EQ(judge_overhead(around(1.0, 0.2)).verdict, "too noisy");
  EXPECT_EQ(judge_overhead(around(1.5, 0.2)).verdict, "too noisy");
  EXPECT_EQ(judge_overhead(std::vector<double>{1.0, 1.0, 1.0}).verdict, "too noisy");
}

}  // namespace
}  // namespace stepbench::gpu
