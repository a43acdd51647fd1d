// SPDX-License-Identifier: Apache-2.0
#include "harness/schedule/schedule.h"

#include "tests/testing.h"

namespace stepbench::schedule {
namespace {

TEST(Stopping, Count_EndsWithItsLastCycle) {
  const StopRule rule{.cycles = 2};
  EXPECT_EQ(stop_after(rule, 1, 50, {}).stop, std::nullopt);
  EXPECT_EQ(stop_after(rule, 2, 100, {}).stop, StopReason::kCount);
  EXPECT_EQ(stop_after({.cycles = 0}, 1000, 50'000, {}).stop, std::nullopt);
  EXPECT_EQ(name_of(StopReason::kCount), "count");
  EXPECT_EQ(name_of(StopReason::kPrecision), "precision");
  EXPECT_EQ(name_of(StopReason::kWallLimit), "wall_limit");
  EXPECT_EQ(name_of(StopReason::kError), "error");
}

// 95 % of Student's t with nine degrees of freedom.
constexpr double kT9 = 2.262157;

TEST(Stopping, TenWindows_HaveAnInterval) {
  const std::vector<double> means = {98, 102, 98, 102, 98, 102, 98, 102, 98, 102};
  const auto interval = interval_of_windows(means);
  ASSERT_TRUE(interval.has_value());
  const double half_width = kT9 * std::sqrt(40.0 / 9 / 10);
  EXPECT_NEAR(interval->low, 100 - half_width, 1e-5);
  EXPECT_NEAR(interval->high, 100 + half_width, 1e-5);
  EXPECT_FALSE(interval_of_windows(std::vector<double>(9, 100)).has_value());
}

TEST(Stopping, ManyWindows_ArePaired) {
  // Neighbours cancel: once pairs are merged, nothing varies.
  std::vector<double> means;
  for (int i = 0; i < 40; ++i) means.push_back(i % 2 == 0 ? 90 : 110);
  EXPECT_GT(interval_of_windows(std::span(means).first(18))->high, 104);
  EXPECT_EQ(interval_of_windows(std::span(means).first(20))->high, 100);
  EXPECT_EQ(interval_of_windows(means)->high, 100);
}

TEST(Stopping, SurplusWindows_CountInTheMean) {
  std::vector<double> means(21, 100);
  means.back() = 121;
  const auto interval = interval_of_windows(means);
  EXPECT_EQ(interval->low, 101);
  EXPECT_EQ(interval->high, 101);
}

TEST(Stopping, TwoPreciseLooks_Stop) {
  const std::vector<double> equal(11, 100);
  const StopRule rule{.automatic = true};
  EXPECT_EQ(stop_after(rule, 10, 500, std::span(equal).first(10)).stop, std::nullopt);
  EXPECT_EQ(stop_after(rule, 11, 550, equal).stop, StopReason::kPrecision);
}

TEST(Stopping, OneLuckyLook_DoesNotStop) {
  // With 20 windows pairs are merged and cancel; with 19 nothing is merged.
  std::vector<double> means;
  for (int i = 0; i < 22; ++i) means.push_back(i % 2 == 0 ? 90 : 110);
  const StopRule rule{.automatic = true};
  EXPECT_EQ(stop_after(rule, 19, 950, std::span(means).first(19)).stop, std::nullopt);
  EXPECT_EQ(stop_after(rule, 20, 1000, std::span(means).first(20)).stop, std::nullopt);
  EXPECT_EQ(stop_after(rule, 21, 1050, std::span(means).first(21)).stop, std::nullopt)
      << "half a pair is no look";
  EXPECT_EQ(stop_after(rule, 22, 1100, means).stop, StopReason::kPrecision);
}

TEST(Stopping, HalfWidth_IsCompared) {
  // The earlier of the two looks, at ten windows, is the wider one.
  const std::vector<double> means = {98, 102, 98, 102, 98, 102, 98, 102, 98, 102, 98};
  const double half_width = kT9 * std::sqrt(40.0 / 9 / 10);
  const auto stop = [&](double precision) {
    return stop_after({.automatic = true, .precision = precision}, 11, 550, means).stop;
  };
  EXPECT_EQ(stop(half_width / 99.9), StopReason::kPrecision);
  EXPECT_EQ(stop(half_width / 100.1), std::nullopt);
}

TEST(Stopping, WideInterval_ContinuesToTheLimit) {
  const std::vector<double> means = {50, 150, 60, 140, 70, 130, 80, 120, 90, 110};
  const StopRule rule{.automatic = true, .precision = 0.01, .max_active = 200};
  EXPECT_EQ(stop_after(rule, 9, 180, means).stop, std::nullopt);
  EXPECT_EQ(stop_after(rule, 10, 200, means).stop, StopReason::kCount);
}

TEST(Stopping, Repeat_IsTheLeastNumberOfCycles) {
  const std::vector<double> equal(20, 100);
  const StopRule rule{.cycles = 12, .automatic = true};
  EXPECT_EQ(stop_after(rule, 11, 550, std::span(equal).first(11)).stop, std::nullopt);
  EXPECT_EQ(stop_after(rule, 12, 600, std::span(equal).first(12)).stop, StopReason::kPrecision);
}

}  // namespace
}  // namespace stepbench::schedule
