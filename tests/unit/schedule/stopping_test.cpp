// SPDX-License-Identifier: Apache-2.0
#include "harness/schedule/stopping.h"

#include <gmock/gmock.h>

#include <numeric>

namespace stepbench {
namespace {

using testing::ElementsAre;

TEST(Stopping, ACountEndsWithItsLastCycle) {
  const StopRule rule{.cycles = 2};
  EXPECT_EQ(stop_after(rule, 1, 50, {}).stop, std::nullopt);
  EXPECT_EQ(stop_after(rule, 2, 100, {}).stop, StopReason::kCount);
}

TEST(Stopping, ZeroCyclesNeverEndByCount) {
  EXPECT_EQ(stop_after({.cycles = 0}, 1000, 50'000, {}).stop, std::nullopt);
}

TEST(Stopping, APreciseMedianEndsAutomatically) {
  const std::vector<double> means = {100, 100.5, 99.5, 100, 100.2, 99.8, 100, 100.1, 99.9, 100};
  const Verdict verdict = stop_after({.automatic = true, .precision = 0.01}, 1, 50, means);
  EXPECT_EQ(verdict.stop, StopReason::kPrecision);
  ASSERT_TRUE(verdict.interval.has_value());
  EXPECT_LE(verdict.interval->low, 100);
  EXPECT_GE(verdict.interval->high, 100);
}

TEST(Stopping, TheHalfWidthIsComparedNotTheWidth) {
  // Ten values: the 95 % interval of the median reaches from the 2nd to the 9th.
  const std::vector<double> means = {90, 99, 100, 100, 100, 100, 100, 100, 101, 110};
  EXPECT_EQ(stop_after({.automatic = true, .precision = 0.01}, 1, 50, means).stop,
            StopReason::kPrecision);
  EXPECT_EQ(stop_after({.automatic = true, .precision = 0.0099}, 1, 50, means).stop, std::nullopt);
}

TEST(Stopping, AWideIntervalGoesOnUntilTheMostSteps) {
  const std::vector<double> means = {50, 150, 60, 140, 70, 130, 80, 120, 90, 110};
  const StopRule rule{.automatic = true, .precision = 0.01, .max_active = 200};
  EXPECT_EQ(stop_after(rule, 3, 150, means).stop, std::nullopt);
  EXPECT_EQ(stop_after(rule, 4, 200, means).stop, StopReason::kCount);
}

TEST(Stopping, RepeatIsTheLeastNumberOfAutomaticCycles) {
  const std::vector<double> equal(10, 100);
  const StopRule rule{.cycles = 2, .automatic = true};
  EXPECT_EQ(stop_after(rule, 1, 50, equal).stop, std::nullopt);
  EXPECT_EQ(stop_after(rule, 2, 100, equal).stop, StopReason::kPrecision);
}

TEST(Stopping, TooFewBatchesForAnIntervalDoNotEndIt) {
  const std::vector<double> equal(5, 100);  // 95 % needs six
  EXPECT_EQ(stop_after({.automatic = true}, 1, 5, equal).stop, std::nullopt);
}

TEST(BatchMeans, AWindowGivesTen) {
  std::vector<std::int64_t> steps(50);
  std::iota(steps.begin(), steps.end(), 0);
  std::vector<double> means = {-1};
  append_batch_means(steps, means);
  EXPECT_THAT(means, ElementsAre(-1, 2, 7, 12, 17, 22, 27, 32, 37, 42, 47));
}

TEST(BatchMeans, SurplusStepsAtTheStartAreLeftOut) {
  const std::vector<std::int64_t> steps = {1000, 1000, 1, 3, 1, 3, 1, 3, 1, 3, 1,
                                           3,    1,    3, 1, 3, 1, 3, 1, 3, 1, 3};
  std::vector<double> means;
  append_batch_means(steps, means);
  EXPECT_THAT(means, testing::AllOf(testing::SizeIs(10), testing::Each(2.0)));
}

TEST(BatchMeans, AShortWindowGivesItsSteps) {
  std::vector<double> means;
  append_batch_means(std::vector<std::int64_t>{4, 5, 6}, means);
  EXPECT_THAT(means, ElementsAre(4, 5, 6));
}

TEST(StopReason, IsWrittenByName) {
  EXPECT_EQ(name_of(StopReason::kCount), "count");
  EXPECT_EQ(name_of(StopReason::kPrecision), "precision");
  EXPECT_EQ(name_of(StopReason::kWallLimit), "wall_limit");
  EXPECT_EQ(name_of(StopReason::kError), "error");
}

}  // namespace
}  // namespace stepbench
