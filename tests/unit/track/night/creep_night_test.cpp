// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>

#include <cstddef>
#include <string>

#include "tests/unit/track/night/history_maker.h"

namespace stepbench::report {
namespace {

using test::HistoryMaker;
using test::Nightly;
using ::testing::HasSubstr;

constexpr std::size_t kCreepingNights = 60;

// 0.06 % a night: 3.5 % after all of them, and never a night that stands out.
Nightly creeping() {
  Nightly values = HistoryMaker::steady(kCreepingNights);
  for (std::size_t i = 0; i < values.size(); ++i) *values[i] *= 1 + 0.0006 * static_cast<double>(i);
  return values;
}

// The first night, from `from` on, that suspects the only series.
std::size_t first_suspect(HistoryMaker& maker, std::size_t from) {
  for (std::size_t night = from; night < kCreepingNights; ++night) {
    if (maker.judge(night).series.at(0).state == track::NightState::kSuspect) return night;
  }
  return kCreepingNights;
}

TEST(CreepNight, HoldsTonightsProgramAgainstTheBestOfTheLastNights) {
  HistoryMaker maker;
  maker.add_series("0", creeping());
  const std::size_t night = first_suspect(maker, 10);
  ASSERT_LT(night, kCreepingNights);
  const track::Alert alert = maker.alert("A1");
  EXPECT_TRUE(alert.worse);
  EXPECT_THAT(alert.note, HasSubstr("in small steps"));
  EXPECT_LT(alert.last_good, HistoryMaker::run_id(15));
  const track::Night again = maker.look(night);
  EXPECT_EQ(again.series.at(0).state, track::NightState::kSuspect);
  EXPECT_TRUE(again.events.empty());
}

TEST(CreepNight, IsSuspectedOnceAWeekWhileItIsNotReproduced) {
  HistoryMaker maker;
  maker.add_series("0", creeping());
  const std::size_t night = first_suspect(maker, 10);
  ASSERT_LT(night, kCreepingNights - 7);
  maker.measure(maker.look(night), track::AlertState::kNotReproduced);
  EXPECT_EQ(first_suspect(maker, night + 1), night + 7);
}

TEST(CreepNight, ALevelThatStaysIsNotSuspected) {
  HistoryMaker maker;
  maker.add_series("0", HistoryMaker::steady(kCreepingNights));
  EXPECT_EQ(first_suspect(maker, 10), kCreepingNights);
}

TEST(CreepNight, AMetricWhereMoreIsBetterDoesNotCreepUpwards) {
  HistoryMaker maker;
  maker.add_series("0", creeping()).direction = Direction::kHigherIsBetter;
  EXPECT_EQ(first_suspect(maker, 10), kCreepingNights);
}

}  // namespace
}  // namespace stepbench::report
