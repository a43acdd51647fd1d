// SPDX-License-Identifier: Apache-2.0
#include "workloads/data/internal/synthetic/synthetic.h"

#include "tests/testing.h"
#include "tests/unit/loading/formats.h"

namespace stepbench {
namespace {

struct Sample {
  std::vector<float> image;
  std::int64_t label = -1;
  bool operator==(const Sample&) const = default;
};

Sample read(const data::Synthetic& data, const data::SampleKey& key) {
  const auto fields = test::sample(data, key);
  return {test::numbers<float>(fields[0]), test::numbers<std::int64_t>(fields[1]).at(0)};
}

TEST(Synthetic, Sample_FollowsFromSeedAndIndex) {
  const data::Synthetic data({.shape = {3, 8, 8}});
  EXPECT_EQ(read(data, {.index = 5, .seed = 1}), read(data, {.index = 5, .seed = 1, .epoch = 3}));
  EXPECT_NE(read(data, {.index = 5, .seed = 1}).image, read(data, {.index = 6, .seed = 1}).image);
  EXPECT_NE(read(data, {.index = 5, .seed = 1}).image, read(data, {.index = 5, .seed = 2}).image);
}

TEST(Synthetic, Images_AreUniformWithValidLabels) {
  const data::Synthetic data({.shape = {100, 100}, .classes = 3});
  const Sample sample = read(data, {.index = 0});
  EXPECT_THAT(sample.image, Each(AllOf(testing::Ge(-1.0F), testing::Le(1.0F))));
  double sum = 0;
  for (const float x : sample.image) sum += static_cast<double>(x);
  EXPECT_NEAR(sum / 10'000, 0, 0.03);
  std::vector<bool> seen(3);
  for (std::int64_t i = 0; i < 100; ++i)
    seen.at(static_cast<std::size_t>(read(data, {.index = i}).label)) = true;
  EXPECT_THAT(seen, Each(true));
}

TEST(Synthetic, FillLabel_LeavesTheImage) {
  const data::Synthetic data({.shape = {4}, .fill = false});
  EXPECT_THAT(read(data, {.index = 1}).image, Each(0.0F));
}

class SyntheticCost : public testing::TestWithParam<data::CostDistribution> {};

TEST_P(SyntheticCost, Draws_HaveTheGivenMeanAndSpread) {
  const data::Synthetic data({.cost = data::SampleCost::kSpin,
                              .cost_us = 100,
                              .distribution = GetParam(),
                              .cost_cv = 0.2});
  const double cv = GetParam() == data::CostDistribution::kFixed         ? 0
                    : GetParam() == data::CostDistribution::kExponential ? 1
                                                                         : 0.2;
  double sum = 0;
  double squares = 0;
  constexpr int kDraws = 20'000;
  for (int i = 0; i < kDraws; ++i) {
    const double us = data.cost_us({.index = i, .seed = 9});
    ASSERT_GE(us, 0);
    sum += us;
    squares += us * us;
  }
  const double mean = sum / kDraws;
  EXPECT_NEAR(mean, 100, 2.5);
  EXPECT_NEAR(std::sqrt(std::max(0.0, squares / kDraws - mean * mean)), 100 * cv, 3);
}

TEST(SyntheticStragglers, Draws_HaveTheShareAndRepeat) {
  const data::Synthetic data({.cost = data::SampleCost::kSleep,
                              .cost_us = 100,
                              .straggler_share = 0.1,
                              .straggler_us = 5000});
  int stragglers = 0;
  for (std::int64_t i = 0; i < 10'000; ++i) {
    const double us = data.cost_us({.index = i, .seed = 3});
    EXPECT_TRUE(us == 100 || us == 5100);
    EXPECT_EQ(us, data.cost_us({.index = i, .seed = 3, .epoch = 7}));
    stragglers += us > 100 ? 1 : 0;
  }
  EXPECT_NEAR(stragglers, 1000, 100);
}

TEST(Synthetic, CollateCost_IsSeparate) {
  const data::Synthetic data({.shape = {4}, .collate_us = 2000});
  const HostClock clock;
  data::ReadCost cost{.clock = &clock};
  const std::int64_t began_ns = clock.now_ns();
  (void)test::sample(data, {.index = 1}, &cost);
  EXPECT_GE(clock.now_ns() - began_ns - cost.fetch_ns - cost.decode_ns, 2'000'000);
}

TEST(Synthetic, Bytes_TakeEachValue) {
  const data::Synthetic data({.shape = {64, 64}, .dtype = DType::kUInt8});
  EXPECT_EQ(data.fields()[0].bytes(), 4096U);
  const std::vector<std::byte> image = test::sample(data, {.index = 1}).at(0);
  EXPECT_EQ(std::set<std::byte>(image.begin(), image.end()).size(), 256U);
}

INSTANTIATE_TEST_SUITE_P(Distributions, SyntheticCost,
                         testing::Values(data::CostDistribution::kFixed,
                                         data::CostDistribution::kNormal,
                                         data::CostDistribution::kExponential,
                                         data::CostDistribution::kGamma));

}  // namespace
}  // namespace stepbench
