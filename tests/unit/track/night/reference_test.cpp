// SPDX-License-Identifier: Apache-2.0
// A kept program beside tonight's, every night: what it says, which one it is, and whole lives that
// are judged by it.
#include "harness/track/reference.h"

#include <gmock/gmock.h>

#include <cmath>
#include <span>
#include <string>
#include <vector>

#include "harness/track/kept_programs.h"
#include "harness/track/notices.h"
#include "tests/unit/track/night/history_maker.h"

namespace stepbench::track {
namespace {

using test::HistoryMaker;
using ::testing::Contains;
using ::testing::Each;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

TEST(ReferenceRatio, IsTheMeanOfThreePairsOrMoreWithItsError) {
  const std::vector<double> ones(4, 1.0);
  const auto ratio = reference_ratio("s", std::vector{1.02, 1.04, 1.03, 1.03}, ones);
  ASSERT_TRUE(ratio);
  EXPECT_NEAR(ratio->moved, std::log(1.03), 1e-4);
  EXPECT_NEAR(ratio->error, 0.0079 / 2, 1e-4);
  EXPECT_EQ(ratio->pairs, 4);
  EXPECT_EQ(ratio->value, 1.0);
  const std::vector tonight{1.02, std::nan(""), 1.03, 1.03};
  EXPECT_EQ(reference_ratio("s", tonight, ones)->pairs, 3);
  EXPECT_FALSE(reference_ratio("s", tonight, std::vector{1.0, 1.0, 0.0, 1.0}));
}

TEST(ReferenceNight, IsReadAsItWasWritten) {
  const ReferenceNight night{
      .night = {"run2", "2026-01-02T02:00:00Z", "box", "train"},
      .run = "run1",
      .build = "b1",
      .why = "one case failed",
      .ratios = {{"s1", 0.012345678, 0.0031, 4, 1.5e6}, {"s2", -0.5, 0, 3, 7}}};
  const TrackEvent event = event_of(night);
  EXPECT_TRUE(event.alert_id.empty());
  const ReferenceNight read = reference_night(event);
  EXPECT_EQ(read.night.run, "run2");
  EXPECT_EQ(read.run, "run1");
  EXPECT_EQ(read.build, "b1");
  EXPECT_EQ(read.why, "one case failed");
  ASSERT_THAT(read.ratios, SizeIs(2));
  EXPECT_EQ(read.ratios[0].series, "s1");
  EXPECT_NEAR(read.ratios[0].moved, 0.012345678, 1e-10);
  EXPECT_EQ(read.ratios[1].value, 7);
  const ReferenceLog log(std::vector{event});
  EXPECT_EQ(log.find("run2", "s2")->pairs, 3);
  EXPECT_EQ(log.find("run2", "s3"), nullptr);
  EXPECT_EQ(log.of_run("run1"), nullptr);
  TrackEvent damaged = event;
  damaged.details["ratios"] = "s 0.1 0.1 4 1\nt 0.1 nonsense";
  EXPECT_THAT(reference_night(damaged).ratios, SizeIs(1));
  damaged.details["ratios"] = true;
  EXPECT_THAT(reference_night(damaged).ratios, IsEmpty());
}

TEST(ScreenOfRatios, HoldsTheSecondNightAgainstTheReferenceItself) {
  const auto fires = [](double moved, bool anchored) {
    return screen_ratios({.moved = {moved}, .errors = {0.005}, .anchored = anchored}, 0.005)
        .fired();
  };
  EXPECT_TRUE(fires(0.03, true));
  EXPECT_FALSE(fires(0.01, true));
  EXPECT_FALSE(fires(0.03, false)) << "nothing is known of what is usual";
}

TEST(ScreenOfRatios, SeesALevelThatWentAwayOverWeeks) {
  RatioSegment segment;
  for (int i = 0; i < 30; ++i) {
    segment.moved.push_back(0.001 * i);
    segment.errors.push_back(0.005);
  }
  EXPECT_TRUE(screen_drift(segment, 0.005).higher);
  for (double& each : segment.moved) each /= 4;
  EXPECT_FALSE(screen_drift(segment, 0.005).fired()) << "less than a percent";
}

TEST(LayoutOfBuilds, IsAssumedUntilTenBuildsAndThenLearnt) {
  std::vector<double> moved;
  for (int i = 0; i < 60; ++i) moved.push_back(0.014 * std::sin(i * i));
  const std::vector<double> errors(60, 0.002);
  const std::span all(moved);
  EXPECT_EQ(layout_of(all.first(9), std::span(errors).first(9)), kLayoutSd);
  EXPECT_GT(layout_of(all, errors), 0.01);
  EXPECT_LT(layout_of(std::vector<double>(60, 0.0), errors), 0.003);
  moved[7] = 0.3;
  EXPECT_LT(layout_of(moved, errors), 0.02) << "a spike is no layout";
  for (int i = 0; i < 60; ++i) moved[static_cast<std::size_t>(i)] = 0.002 * i;
  EXPECT_LT(layout_of(moved, errors), 0.003) << "nor is what creeps";
}

TEST(LayoutOfBuilds, IsLearntSlowlyWhereLaunchesVaryMoreThanBuilds) {
  const std::vector<double> still(40, 0.0);
  EXPECT_LT(layout_of(still, std::vector<double>(40, 0.001)), 0.0027);
  EXPECT_GT(layout_of(still, std::vector<double>(40, 0.007)), 0.0029)
      << "that nothing varies is chance";
}

TEST(ReferenceRun, StaysTheSameAsLongAsItsProgramIsThereAndIsKept) {
  HistoryMaker maker;
  maker.nightly = true;
  maker.add_programs("0", std::vector<double>(40, 1.0));
  for (std::size_t night = 0; night < 30; ++night) (void)maker.live(night);
  std::vector<std::string> references;
  for (const TrackEvent& event : maker.events) {
    if (event.what == kReferenceEvent) references.push_back(text_of(event.details, "run"));
  }
  EXPECT_THAT(references, SizeIs(29)) << "the first night has nothing to be measured beside";
  EXPECT_THAT(references, Each(HistoryMaker::run_id(0)));
  const auto kept =
      programs_to_keep(maker.history.runs, maker.events, "box", "2027-06-01T00:00:00Z");
  EXPECT_THAT(kept, Contains(std::pair(maker.run(0).build_id, KeptFor::kNamed)));
  maker.gone.insert(HistoryMaker::run_id(0));
  (void)maker.live(30);
  EXPECT_EQ(text_of(maker.events.back().details, "run"), HistoryMaker::run_id(29))
      << "another one, and its ratios begin anew";
}

TEST(ReferenceRun, IsAnotherOneAfterANightInWhichNothingCouldBeHeldAgainstIt) {
  HistoryMaker maker;
  maker.nightly = true;
  maker.add_programs("0", std::vector<double>(8, 1.0));
  for (std::size_t night = 0; night < 5; ++night) (void)maker.live(night);
  const auto next = [&] {
    return reference_run(std::span(maker.history.runs).first(6), maker.events, "box", "train", {});
  };
  EXPECT_EQ(next(), HistoryMaker::run_id(0));
  maker.tell(event_of(ReferenceNight{.night = night_of(maker.run(5)),
                                     .run = HistoryMaker::run_id(0),
                                     .build = maker.run(0).build_id,
                                     .why = "the kept program computes something else"}));
  EXPECT_EQ(next(), HistoryMaker::run_id(5));
}

TEST(ReferenceRun, IsNeverOneOfAnOpenAlertOrOfAChangedTree) {
  HistoryMaker maker;
  std::vector<double> programs(26, 1.0);
  for (std::size_t i = 22; i < 26; ++i) programs[i] = 1.06;
  maker.add_programs("0", programs);
  for (std::size_t night = 0; night < 25; ++night) (void)maker.live(night);
  maker.run(21).git_dirty = true;
  const auto all = [](const TrackedRun&) { return true; };
  EXPECT_EQ(reference_run(maker.history.runs, maker.events, "box", "train", all),
            HistoryMaker::run_id(20));
  EXPECT_EQ(reference_run(maker.history.runs, maker.events, "other", "train", all), "");
}

// A machine that becomes slower moves the values and not the ratios.
TEST(LifeBesideAReference, IsQuietWhereTheMachineMoves) {
  HistoryMaker maker;
  maker.nightly = true;
  maker.add_programs("0", std::vector<double>(40, 1.0));
  for (std::size_t i = 20; i < 40; ++i) maker.point("0", i).value *= 1.08;
  for (std::size_t night = 0; night < 40; ++night) EXPECT_EQ(maker.live(night).exit_code, 0);
  EXPECT_THAT(maker.measured_due, IsEmpty());
  const Night last = maker.look(39);
  EXPECT_THAT(last.notes,
              Contains(HasSubstr("measured in turns with the reference program of 2026-01-01")));
}

TEST(LifeBesideAReference, FindsAStepThatTheMachineHides) {
  HistoryMaker maker;
  maker.nightly = true;
  std::vector<double> programs(40, 1.0);
  for (std::size_t i = 25; i < 40; ++i) programs[i] = 1.05;
  maker.add_programs("0", programs);
  for (std::size_t i = 25; i < 40; ++i) maker.point("0", i).value /= 1.05;
  for (std::size_t night = 0; night < 25; ++night) EXPECT_EQ(maker.live(night).exit_code, 0);
  const Night night = maker.live(25);
  EXPECT_EQ(night.exit_code, 1);
  EXPECT_EQ(maker.alert("A1").first_bad, HistoryMaker::run_id(25));
  EXPECT_EQ(maker.alert("A1").last_good, HistoryMaker::run_id(24));
}

TEST(LifeBesideAReference, FindsAStepInTheSecondNight) {
  HistoryMaker maker;
  maker.nightly = true;
  maker.add_programs("0", {1.0, 1.05, 1.05});
  EXPECT_EQ(maker.live(0).exit_code, 0);
  EXPECT_EQ(maker.live(1).exit_code, 1);
  EXPECT_EQ(maker.alert("A1").last_good, HistoryMaker::run_id(0));
}

TEST(LifeBesideAReference, TellsWhatAnotherEnvironmentDidAndWhatTheProgramDid) {
  HistoryMaker maker;
  maker.nightly = true;
  maker.add_programs("0", std::vector<double>(26, 1.0));
  for (std::size_t night = 0; night < 25; ++night) (void)maker.live(night);
  maker.set_cohort_from(25, "560.9");
  maker.point("0", 25).value *= 1.08;
  const History known = maker.history;
  ReferenceNight beside{.night = night_of(maker.run(25)),
                        .run = HistoryMaker::run_id(0),
                        .build = maker.run(0).build_id,
                        .ratios = {{"0", 0.001, 0.003, 4, 1.08e6}}};
  maker.tell(event_of(beside));
  const Night night = maker.look(25);
  EXPECT_EQ(night.series[0].state, NightState::kEnvironmentChange);
  EXPECT_THAT(night.series[0].why, HasSubstr("it did +8.00 %, tonight's program"));
  EXPECT_THAT(night.series[0].why, HasSubstr("the program of 2026-01-01 was measured in both"));
  EXPECT_EQ(night.exit_code, 0);
}

TEST(LifeBesideAReference, OfWhichNoneStartsSaysSoAndIsJudgedByValues) {
  HistoryMaker maker;
  maker.add_programs("0", std::vector<double>(13, 1.0));
  for (std::size_t night = 0; night < 12; ++night) (void)maker.live(night);
  maker.tell(
      event_of(ReferenceNight{.night = night_of(maker.run(12)),
                              .run = HistoryMaker::run_id(0),
                              .why = "the program of 2026-01-01 no longer starts: status 9"}));
  const Night night = maker.live(12);
  EXPECT_THAT(night.notes,
              Contains(HasSubstr("no longer starts: status 9; series without a ratio")));
  EXPECT_EQ(night.exit_code, 0);
}

}  // namespace
}  // namespace stepbench::track
