// SPDX-License-Identifier: Apache-2.0
#include "harness/track/screen.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "harness/track/last_good.h"
#include "tests/unit/stats/noise.h"

namespace stepbench::track {
namespace {

constexpr ScreenKind kAllScreens[] = {ScreenKind::kRobustZ, ScreenKind::kOtava2, ScreenKind::kRank,
                                      ScreenKind::kTPred};

// Nights at `level` with a spread of 1 %.
std::vector<double> nights(std::size_t count, double level = 1e6, std::uint64_t seed = 5) {
  testing_noise::Noise noise(seed);
  std::vector<double> values(count);
  for (double& value : values) value = level * std::exp(0.01 * noise.normal());
  return values;
}

ScreenAnswer screened(const std::vector<double>& values, ScreenKind kind = ScreenKind::kRobustZ) {
  return screen(values, {.kind = kind});
}

TEST(Screen, NamesAreReadBack) {
  for (const ScreenKind kind : kAllScreens)
    EXPECT_EQ(one_of<track::ScreenKind>(name_of(kind)), kind);
  EXPECT_EQ(one_of<track::ScreenKind>("robust-z"), std::nullopt);
}

TEST(Screen, WarmsUpUntilThereAreTenNightsBeforeTonight) {
  for (const ScreenKind kind : kAllScreens) {
    SCOPED_TRACE(std::string(name_of(kind)));
    EXPECT_TRUE(screened({}, kind).warming_up);
    std::vector<double> values = nights(kMinForScreen);
    values.back() *= 2;
    EXPECT_TRUE(screened(values, kind).warming_up);
    EXPECT_FALSE(screened(values, kind).fired());
  }
  EXPECT_FALSE(screened(nights(kMinForScreen + 1)).warming_up);
  EXPECT_FALSE(screened(nights(kMinForScreen + 1), ScreenKind::kOtava2).warming_up);
  EXPECT_FALSE(screened(nights(kMinForScreen + 1), ScreenKind::kTPred).warming_up);
  EXPECT_TRUE(screened(nights(14), ScreenKind::kRank).warming_up);
  EXPECT_FALSE(screened(nights(15), ScreenKind::kRank).warming_up);
}

TEST(Screen, FiresWithinFiveNightsOfAStepOfFivePercentEitherWay) {
  for (const ScreenKind kind : kAllScreens) {
    for (const double step : {1.05, 1 / 1.05}) {
      SCOPED_TRACE(std::string(name_of(kind)) + " " + std::to_string(step));
      std::vector<double> values = nights(60);
      bool fired = false;
      for (int night = 0; night < 5 && !fired; ++night) {
        const double noise = nights(70)[60 + static_cast<std::size_t>(night)];
        values.push_back(noise * step);
        const ScreenAnswer answer = screened(values, kind);
        fired = answer.fired();
        EXPECT_FALSE(step > 1 ? answer.lower : answer.higher);
        if (!fired) continue;
        EXPECT_EQ(answer.since, 60u);
        EXPECT_NEAR(answer.usual, 1e6, 1e4);
        EXPECT_NEAR(answer.change, step - 1, 0.03);
        EXPECT_EQ(answer.score > 0, step > 1);
      }
      EXPECT_TRUE(fired);
    }
  }
}

TEST(Screen, SaysTheSameOfAMirroredSeriesAndInAnotherUnit) {
  for (const ScreenKind kind : kAllScreens) {
    SCOPED_TRACE(std::string(name_of(kind)));
    std::vector<double> values = nights(60);
    for (std::size_t i = 55; i < 60; ++i) values[i] += 8e4;
    std::vector<double> mirrored;
    std::vector<double> scaled;
    for (const double value : values) {
      mirrored.push_back(2e6 - value);
      scaled.push_back(value / 1024);
    }
    const ScreenAnswer answer = screened(values, kind);
    EXPECT_TRUE(answer.higher);
    EXPECT_TRUE(screened(mirrored, kind).lower);
    EXPECT_NEAR(answer.score, -screened(mirrored, kind).score, 1e-6);
    EXPECT_TRUE(screened(scaled, kind).higher);
    EXPECT_NEAR(answer.score, screened(scaled, kind).score, 1e-6);
    const ScreenAnswer constant = screened(std::vector<double>(80, 12.5), kind);
    EXPECT_FALSE(constant.fired() || constant.warming_up || std::isnan(constant.score));
  }
}

TEST(Screen, SeesOnlyTheLastThirtyNightsBeforeTonight) {
  std::vector<double> values = nights(30);
  std::vector<double> older(20, 5e9);
  older.insert(older.end(), values.begin(), values.end());
  values.push_back(1.01e6);
  older.push_back(1.01e6);
  EXPECT_DOUBLE_EQ(screened(values).usual, screened(older).usual);
  EXPECT_DOUBLE_EQ(screened(values).score, screened(older).score);
}

// 1, 2, ..., 10: median 5.5, MAD 2.5, robust standard deviation 3.7065.
TEST(Screen, RobustZIsTheDistanceFromTheMedianInRobustStandardDeviations) {
  const std::vector<double> values = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 17};
  const ScreenAnswer answer = screened(values);
  EXPECT_DOUBLE_EQ(answer.usual, 5.5);
  EXPECT_NEAR(answer.score, 11.5 / 3.7065, 1e-12);
  EXPECT_NEAR(answer.change, 17 / 5.5 - 1, 1e-12);
  EXPECT_TRUE(answer.higher);
  EXPECT_EQ(answer.since, 10u);
}

TEST(Screen, RobustZFiresOnThreeNightsThatAreEachTooCloseToTell) {
  std::vector<double> values;
  for (int i = 0; i < 30; ++i) values.push_back(980 + 10 * (i % 5));  // spread 14.8
  values.push_back(1030);
  EXPECT_FALSE(screened(values).fired());
  values.push_back(1030);
  const ScreenAnswer answer = screened(values);
  EXPECT_TRUE(answer.higher);
  EXPECT_EQ(answer.since, 30u);
}

TEST(Screen, ASpikeFiresOnceAndDoesNotRaiseWhatIsUsual) {
  std::vector<double> values = nights(40);
  const double usual = screened(values).usual;
  values.push_back(2e6);
  EXPECT_TRUE(screened(values).higher);
  for (int night = 0; night < 5; ++night) {
    values.push_back(1e6);
    EXPECT_FALSE(screened(values).fired());
    EXPECT_NEAR(screened(values).usual, usual, 3e3);
  }
}

TEST(Screen, EqualNightsHaveALeastSpread) {
  std::vector<double> values(30, 1e6);
  values.push_back(1.0029e6);
  EXPECT_FALSE(screened(values).fired()) << "2.9 times a thousandth of the level";
  values.back() = 1.0031e6;
  EXPECT_TRUE(screened(values).higher);
  EXPECT_FALSE(screen(values, {.resolution = 2000}).fired()) << "a clock that ticks in 2 us";
  values.back() = 1e6;
  EXPECT_FALSE(screened(values).fired());
  EXPECT_DOUBLE_EQ(screened(values).score, 0);
}

TEST(Screen, ASeriesOfZerosThatBecomesSomethingFires) {
  std::vector<double> values(20, 0.0);
  EXPECT_FALSE(screened(values).fired());
  EXPECT_DOUBLE_EQ(screened(values).change, 0);
  values.push_back(4096);
  for (const ScreenKind kind : {ScreenKind::kRobustZ, ScreenKind::kTPred}) {
    const ScreenAnswer answer = screened(values, kind);
    EXPECT_TRUE(answer.higher);
    EXPECT_TRUE(std::isinf(answer.score));
    EXPECT_TRUE(std::isinf(answer.change));
  }
}

// Bencher's bound of 99 % from 1..10: mean 5.5, standard deviation 3.02765, t of 9
// degrees 2.821438, so 5.5 + 2.821438 x 3.02765 x sqrt(1.1) = 14.4592.
TEST(Screen, TPredFiresBeyondThePredictionBound) {
  std::vector<double> values = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 14.459};
  EXPECT_FALSE(screened(values, ScreenKind::kTPred).fired());
  values.back() = 14.460;
  EXPECT_TRUE(screened(values, ScreenKind::kTPred).higher);
  values.back() = 11 - 14.460;
  EXPECT_TRUE(screened(values, ScreenKind::kTPred).lower);
}

TEST(Screen, Otava2ForgetsAStepAfterFiveNights) {
  std::vector<double> values = nights(65);
  for (std::size_t i = 60; i < 65; ++i) values[i] *= 1.05;
  EXPECT_TRUE(screened(values, ScreenKind::kOtava2).higher);
  for (const double value : nights(3, 1.05e6, 8)) values.push_back(value);
  const ScreenAnswer later = screened(values, ScreenKind::kOtava2);
  EXPECT_FALSE(later.fired());
  EXPECT_NEAR(later.usual, 1.05e6, 2e4) << "the level since the step";
}

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

TEST(LastGood, IsTheNewestNightThatWasGoodItself) {
  struct Row {
    const char* why;
    std::size_t quiet;
    std::vector<double> then;
    std::size_t good;
  };
  // Of 31 quiet nights the last is 980, of 30 it is 1020.
  for (const Row& row : std::vector<Row>{
           {"the night before a jump", 31, {1200}, 30},
           {"not one that was slow itself and did not fire", 31, {1040, 1200}, 30},
           // 1046 lies 3.1 spreads off: what lies above 1000 may be half of the same step.
           {"before a small step one on the good side", 30, {1046}, 27},
           {"of a speed-up one that was not fast", 30, {960, 800}, 29},
           {"not one that fired", 31, {700, 1200}, 30}}) {
    std::vector<double> values = quiet_level(row.quiet);
    values.insert(values.end(), row.then.begin(), row.then.end());
    EXPECT_EQ(good_of(values), row.good) << row.why;
  }
  std::vector<double> values = quiet_level(31);
  values.push_back(1040);
  EXPECT_FALSE(screen(values, {}).fired());
  values.back() = 700;
  EXPECT_TRUE(screen(values, {}).lower);
}

TEST(LastGood, PassesOverNightsThatCannotBeMeasuredAgain) {
  std::vector<double> values = quiet_level(31);
  values.push_back(1200);
  EXPECT_EQ(good_of(values, [](std::size_t night) { return night < 30; }), 29u);
  EXPECT_EQ(good_of(values, [](std::size_t) { return false; }), std::nullopt);
  // Where every usable night was slow, 1010 and 1020, it is the newest that did not fire.
  values.back() = 1046;
  EXPECT_EQ(good_of(values, [](std::size_t night) { return night == 28 || night == 29; }), 29u);
}

}  // namespace
}  // namespace stepbench::track
