// SPDX-License-Identifier: Apache-2.0
#include "harness/track/last_good.h"

#include <gtest/gtest.h>

#include <vector>

namespace stepbench::track {
namespace {

// 980, 990, 1000, 1010, 1020, 980, ...: usual 1000, spread 14.8.
std::vector<double> quiet_level(std::size_t count) {
  std::vector<double> values;
  for (std::size_t i = 0; i < count; ++i) values.push_back(980 + 10 * static_cast<double>(i % 5));
  return values;
}

std::optional<std::size_t> good_of(const std::vector<double>& values,
                                   const std::function<bool(std::size_t)>& usable = {}) {
  const ScreenAnswer answer = screen(values, {});
  EXPECT_TRUE(answer.fired());
  return last_good(values, {}, answer, usable);
}

TEST(LastGood, IsTheNightBeforeAJump) {
  std::vector<double> values = quiet_level(31);  // the last is 980
  values.push_back(1200);
  EXPECT_EQ(good_of(values), 30u);
}

TEST(LastGood, ANightThatWasSlowItselfIsNone) {
  std::vector<double> values = quiet_level(31);
  values.push_back(1040);  // did not fire, and yet
  values.push_back(1200);
  EXPECT_FALSE(screen(std::span(values).first(32), {}).fired());
  EXPECT_EQ(good_of(values), 30u);
}

// Tonight's 1046 lies 3.1 spreads off: what lies above 1000 may be half of the same step.
TEST(LastGood, BeforeASmallStepItIsANightOnTheGoodSide) {
  std::vector<double> values = quiet_level(30);  // ..., 1000, 1010, 1020
  values.push_back(1046);
  EXPECT_EQ(good_of(values), 27u);
}

TEST(LastGood, OfASpeedUpItIsANightThatWasNotFast) {
  std::vector<double> values = quiet_level(30);  // the last is 1020
  values.push_back(960);
  values.push_back(800);
  EXPECT_EQ(good_of(values), 29u);
}

TEST(LastGood, ANightThatFiredIsNone) {
  std::vector<double> values = quiet_level(31);
  values.push_back(700);
  EXPECT_TRUE(screen(values, {}).lower);
  values.push_back(1200);
  EXPECT_EQ(good_of(values), 30u);
}

TEST(LastGood, PassesOverNightsThatCannotBeMeasuredAgain) {
  std::vector<double> values = quiet_level(31);
  values.push_back(1200);
  EXPECT_EQ(good_of(values, [](std::size_t night) { return night < 30; }), 29u);
  EXPECT_EQ(good_of(values, [](std::size_t) { return false; }), std::nullopt);
}

TEST(LastGood, WhereEveryUsableNightWasSlowItIsTheNewestThatDidNotFire) {
  std::vector<double> values = quiet_level(31);
  values.push_back(1046);
  // 1010 and 1020.
  EXPECT_EQ(good_of(values, [](std::size_t night) { return night == 28 || night == 29; }), 29u);
}

}  // namespace
}  // namespace stepbench::track
