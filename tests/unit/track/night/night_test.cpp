// SPDX-License-Identifier: Apache-2.0
#include "harness/track/night.h"

#include <gmock/gmock.h>

#include <cmath>
#include <limits>
#include <map>
#include <string>

#include "tests/unit/track/night/history_maker.h"

namespace stepbench::report {
namespace {

using test::HistoryMaker;
using test::Nightly;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

constexpr std::size_t kStep = 20;  // the night in which values move

// Steady nights, and from night `from` on `factor` times as much.
Nightly stepped(std::size_t count, double factor, std::size_t from = kStep) {
  Nightly values = HistoryMaker::steady(count);
  for (std::size_t i = from; i < count; ++i) values[i] = *values[i] * factor;
  return values;
}

const track::NightSeries& of_case(const track::Night& night, const std::string& case_id) {
  for (const track::NightSeries& series : night.series) {
    if (series.series.case_id == case_id) return series;
  }
  throw std::runtime_error("no series " + case_id);
}

TEST(Night, OfUsualValues_IsOkOrWarmingUp) {
  HistoryMaker maker;
  maker.add_series("0", HistoryMaker::steady(21));
  maker.add_series("2", HistoryMaker::steady(21, 50e6));
  const track::Night night = maker.judge(kStep);
  EXPECT_EQ(night.count(track::NightState::kOk), 2U);
  EXPECT_EQ(night.exit_code, 0);
  EXPECT_EQ(night.verdict, track::NightState::kOk);
  EXPECT_THAT(maker.events, IsEmpty());
  EXPECT_EQ(of_case(night, "0").points, 20U);
  const track::Night ninth = maker.look(9);
  EXPECT_EQ(ninth.count(track::NightState::kWarmingUp), 2U);
  EXPECT_EQ(ninth.verdict, track::NightState::kWarmingUp);
  EXPECT_EQ(ninth.exit_code, 0);
  EXPECT_EQ(maker.look(10).count(track::NightState::kOk), 2U);
}

TEST(Night, InWhichASeriesRisesOpensAnAlertBetweenTheLastGoodNightAndTonight) {
  HistoryMaker maker;
  maker.add_series("0", stepped(21, 1.03));
  maker.add_series("2", HistoryMaker::steady(21));
  const track::Night night = maker.judge(kStep);
  const track::NightSeries& moved = of_case(night, "0");
  EXPECT_EQ(moved.state, track::NightState::kSuspect);
  EXPECT_EQ(moved.alert, "A1");
  EXPECT_TRUE(moved.worse);
  EXPECT_NEAR(moved.change.value(), 0.03, 0.006);
  EXPECT_EQ(moved.last_good, HistoryMaker::run_id(kStep - 1));
  EXPECT_EQ(moved.first_bad, HistoryMaker::run_id(kStep));
  EXPECT_EQ(of_case(night, "2").state, track::NightState::kOk);
  EXPECT_EQ(night.exit_code, 3);
  EXPECT_EQ(maker.look(kStep, true).exit_code, 0);
  EXPECT_EQ(maker.alert("A1").opened_run, HistoryMaker::run_id(kStep));
}

// The most serious of its series decides; nothing is recorded twice.
TEST(Night, MeasuredAgain_ExitsByWhatCameOut) {
  HistoryMaker maker;
  maker.add_series("0", stepped(21, 1.03));
  maker.add_series("2", HistoryMaker::steady(21));
  const track::Night night = maker.judge(kStep);
  EXPECT_THAT(maker.events, SizeIs(1));
  EXPECT_THAT(maker.look(kStep).events, IsEmpty());
  // One pair of builds tells nobody.
  for (const auto& [outcome, exit_code] :
       std::map<track::AlertState, int>{{track::AlertState::kRegression, 1},
                                        {track::AlertState::kReproduced, 0},
                                        {track::AlertState::kSuspect, 3},
                                        {track::AlertState::kInvalid, 4},
                                        {track::AlertState::kNotReproduced, 0},
                                        {track::AlertState::kEnvironmentChange, 0}}) {
    SCOPED_TRACE(std::string(name_of(outcome)));
    HistoryMaker copy = maker;
    copy.measure(night, outcome);
    const track::Night after = copy.look(kStep);
    EXPECT_EQ(after.exit_code, exit_code);
    EXPECT_THAT(after.events, IsEmpty());
    EXPECT_EQ(copy.alert("A1").state, outcome);
    EXPECT_EQ(std::string(name_of(of_case(after, "0").state)), name_of(outcome));
  }
}

TEST(Night, PutsAllThatMovedTogetherIntoOneAlert) {
  HistoryMaker maker;
  maker.add_series("0", stepped(21, 1.05));
  maker.add_series("2", stepped(21, 1.04));
  maker.add_series("4", stepped(21, 0.95));
  maker.add_series("8", stepped(21, 1.06), "loader");
  // Without these nights its last good one is another.
  Nightly late = stepped(21, 1.05);
  late[kStep - 1].reset();
  maker.add_series("16", late);
  const track::Night night = maker.judge(kStep);
  EXPECT_EQ(of_case(night, "0").alert, "A1");
  EXPECT_EQ(of_case(night, "2").alert, "A1");
  EXPECT_EQ(of_case(night, "8").alert, "A1") << "the same commits in another experiment";
  EXPECT_EQ(of_case(night, "4").alert, "A2") << "better";
  EXPECT_EQ(of_case(night, "16").alert, "A1") << "the ranges overlap";
  EXPECT_THAT(maker.alert("A1").series, SizeIs(4));
}

TEST(Night, NeverTakesADirtyTreeForTheLastGoodOne) {
  HistoryMaker maker;
  maker.add_series("0", stepped(21, 1.05));
  maker.run(kStep - 1).git_dirty = true;
  maker.run(kStep - 2).git_dirty = true;
  EXPECT_EQ(of_case(maker.look(kStep), "0").last_good, HistoryMaker::run_id(kStep - 3));
}

TEST(Night, DoesNotBlameAProgramThatIsTheSame) {
  HistoryMaker maker;
  maker.add_series("0", stepped(21, 1.05));
  maker.run(kStep).build_id = maker.run(kStep - 1).build_id;
  const track::Night night = maker.judge(kStep);
  EXPECT_EQ(of_case(night, "0").state, track::NightState::kEnvironmentChange);
  EXPECT_THAT(of_case(night, "0").why, HasSubstr("the program is that of the last good night"));
  EXPECT_THAT(maker.events, IsEmpty());
  EXPECT_EQ(night.exit_code, 0);
}

TEST(Night, MeasuresWhatTheControlCaseDidTooAndSaysSo) {
  HistoryMaker maker;
  maker.add_series("0", stepped(21, 1.05));
  maker.add_series("2", stepped(21, 1.12));
  maker.set_control(stepped(21, 1.05));
  const track::Night night = maker.judge(kStep);
  EXPECT_EQ(of_case(night, "0").state, track::NightState::kSuspect);
  EXPECT_THAT(maker.look(kStep - 1).series, SizeIs(2));
  EXPECT_THAT(of_case(night, "0").why, HasSubstr("the control case moved too"));
  EXPECT_NEAR(of_case(night, "0").normalised_change.value(), 0, 0.001);
  EXPECT_EQ(of_case(night, "2").state, track::NightState::kSuspect) << "more than the machine did";
  EXPECT_THAT(night.series, SizeIs(2)) << "the control case is no series of the night";
  EXPECT_EQ(night.exit_code, 3);
}

TEST(Night, SaysWhichPlannedCaseGaveNoValue) {
  HistoryMaker maker;
  Nightly values = HistoryMaker::steady(21);
  values[kStep].reset();
  maker.add_series("0", values);
  maker.add_series("2", HistoryMaker::steady(21));
  maker.add_series("4", HistoryMaker::steady(21));
  maker.point("4", kStep).value = std::numeric_limits<double>::quiet_NaN();
  const track::Night night = maker.look(kStep);
  EXPECT_EQ(of_case(night, "0").state, track::NightState::kNoData);
  EXPECT_EQ(of_case(night, "4").state, track::NightState::kNoData);
  EXPECT_THAT(of_case(night, "0").why, HasSubstr("the last one is of 2026-01-20"));
  EXPECT_EQ(night.exit_code, 4);

  maker.run(kStep).plan_digest = "another plan";
  const track::Night other = maker.look(kStep);
  EXPECT_EQ(other.count(track::NightState::kNoData), 1U)
      << "the case that has a point which is none";
  EXPECT_THAT(other.notes, ElementsAre(HasSubstr("1 series of train is not in tonight's plan")));
}

TEST(Night, WithoutNightsBetweenScreensTheOthers) {
  HistoryMaker maker;
  Nightly values = stepped(40, 1.05, 39);
  for (std::size_t i = 15; i < 30; ++i) values[i].reset();
  maker.add_series("0", values);
  const track::NightSeries moved = of_case(maker.look(39), "0");
  EXPECT_EQ(moved.state, track::NightState::kSuspect);
  EXPECT_EQ(moved.points, 24U);
}

TEST(Night, DatedInTheFutureIsNotScreened) {
  HistoryMaker maker;
  Nightly values = stepped(21, 1.05);
  for (std::size_t i = 13; i < kStep; ++i) values[i].reset();
  maker.add_series("0", values);
  std::erase_if(maker.history.runs, [](const track::TrackedRun& run) {
    return run.run_id > HistoryMaker::run_id(12) && run.run_id < HistoryMaker::run_id(kStep);
  });
  maker.history.series[0].points.back().run = maker.history.runs.size() - 1;
  maker.now_utc = "2026-01-15T00:00:00Z";
  const track::Night night = maker.judge(kStep);
  EXPECT_EQ(night.count(track::NightState::kFutureDated), 1U);
  EXPECT_EQ(night.exit_code, 4);
  EXPECT_THAT(maker.events, IsEmpty());
}

TEST(Night, IsTheNewestRunOfEachExperimentOfTwentyHours) {
  HistoryMaker maker;
  maker.add_series("0", HistoryMaker::steady(40));
  maker.add_series("8", HistoryMaker::steady(40), "loader");
  maker.add_series("9", HistoryMaker::steady(19), "old");
  const auto tonight = [&](const char* host, const char* now) {
    return track::tonights_runs(maker.history.runs, host, now);
  };
  EXPECT_THAT(tonight("box", "2026-01-30T01:00:00Z"),
              ElementsAre(HistoryMaker::run_id(29, "loader"), HistoryMaker::run_id(29)));
  EXPECT_THAT(tonight("box", "2027-01-30T04:00:00Z"),
              ElementsAre(HistoryMaker::run_id(39, "loader"), HistoryMaker::run_id(39)));
  EXPECT_THAT(tonight("other box", "2027-01-30T04:00:00Z"), IsEmpty());
}

TEST(Night, WithARateThatFalls_IsSuspectOfBeingWorse) {
  for (const double factor : {0.8, 1.25}) {
    HistoryMaker maker;
    track::TrackedSeries& rate = maker.add_series("0", stepped(24, factor));
    rate.unit = "1/s";
    rate.direction = Direction::kHigherIsBetter;
    const track::Night night = maker.judge(kStep);
    EXPECT_EQ(of_case(night, "0").state, track::NightState::kSuspect);
    EXPECT_EQ(of_case(night, "0").worse, factor < 1);
    EXPECT_EQ(night.exit_code, factor < 1 ? 3 : 0);
  }
}

TEST(Night, WithSeriesOfOtherPrograms_JudgesItsOwnAndSaysSoOnce) {
  HistoryMaker maker;
  maker.add_series("0", HistoryMaker::steady(24));
  maker.add_series("8", stepped(24, 1.5), "csv");
  maker.add_series("9", stepped(24, 1.5), "csv");
  for (std::size_t night = 0; night < 24; ++night) {
    maker.run(night, "csv").context["imported"] = Value{std::string("csv")};
  }
  const track::Night night = maker.judge(kStep);
  ASSERT_THAT(night.series, SizeIs(1));
  EXPECT_EQ(night.series[0].series.id, "0");
  EXPECT_EQ(night.exit_code, 0);
  EXPECT_THAT(night.notes, ElementsAre(HasSubstr("21 runs of other programs: shown and judged no "
                                                 "more; use Otava, bencher or asv")));
}

TEST(Night, HasNoDataWhereThereIsNoSeries) {
  HistoryMaker maker;
  maker.add_series("0", HistoryMaker::steady(21)).screened = false;
  EXPECT_EQ(maker.look(kStep).exit_code, 4);
  HistoryMaker empty;
  EXPECT_EQ(empty.look(kStep).exit_code, 4);
}

track::TrackEvent acknowledged(const std::string& alert, Fields details = {}) {
  return {.what = "acknowledged",
          .alert_id = alert,
          .reason = "needed for correctness",
          .details = std::move(details)};
}

TEST(Alerts, AreNotOpenedForAsMuchAsWasAccepted) {
  HistoryMaker maker;
  Nightly values = stepped(50, 1.03);
  for (std::size_t i = 36; i < values.size(); ++i) values[i] = *values[i] * 1.03;
  for (std::size_t i = 44; i < values.size(); ++i) values[i] = *values[i] * 1.05;
  maker.add_series("0", values);
  maker.measure(maker.judge(kStep), track::AlertState::kRegression);
  maker.tell(acknowledged("A1", {{"expect", 0.07}}));
  for (std::size_t night = kStep + 1; night < 44; ++night) {
    EXPECT_EQ(of_case(maker.judge(night), "0").state, track::NightState::kAcknowledged) << night;
  }
  EXPECT_THAT(of_case(maker.look(36), "0").why, HasSubstr("+7.00 % were accepted"));
  EXPECT_EQ(of_case(maker.judge(44), "0").alert, "A2") << "beyond it";
}

TEST(Alerts, ComeBackTheNightAfterTheirDate) {
  HistoryMaker maker;
  maker.add_series("0", stepped(40, 1.05));
  maker.measure(maker.judge(kStep), track::AlertState::kRegression);
  maker.tell(acknowledged("A1", {{"until", HistoryMaker::run_id(23).substr(0, 10)}}));
  EXPECT_EQ(maker.judge(23).exit_code, 0);
  const track::Night expired = maker.judge(24);
  EXPECT_EQ(expired.exit_code, 1);
  EXPECT_EQ(of_case(expired, "0").state, track::NightState::kRegression);
  EXPECT_THAT(maker.alert("A1").note, HasSubstr("accepted until 2026-01-24"));
  EXPECT_THAT(maker.look(24).events, IsEmpty());
}

TEST(Alerts, AreFixedByANewBaseline) {
  HistoryMaker maker;
  maker.add_series("0", stepped(40, 1.05));
  maker.measure(maker.judge(kStep), track::AlertState::kRegression);
  maker.tell({.what = "baseline",
              .alert_id = "A1",
              .reason = "new loss",
              .details = {{"run", HistoryMaker::run_id(kStep)}}});
  maker.tell({.what = "baseline",
              .reason = "new loss",
              .details = {{"run", HistoryMaker::run_id(kStep)},
                          {"experiment", std::string("train")},
                          {"host", std::string("box")}}});
  EXPECT_EQ(maker.alert("A1").state, track::AlertState::kFixed);
  EXPECT_EQ(of_case(maker.judge(kStep + 5), "0").state, track::NightState::kWarmingUp);
  EXPECT_EQ(of_case(maker.judge(kStep + 10), "0").state, track::NightState::kOk);
}

TEST(Night, LeavesAnIgnoredSeriesOutUntilItsDate) {
  HistoryMaker maker;
  maker.add_series("0", stepped(24, 1.05));
  maker.add_series("2", HistoryMaker::steady(24));
  maker.tell({.what = "ignored",
              .details = {{"series", std::string("0")},
                          {"until", HistoryMaker::run_id(kStep).substr(0, 10)}}});
  const track::Night night = maker.judge(kStep);
  EXPECT_EQ(of_case(night, "0").state, track::NightState::kIgnored);
  EXPECT_EQ(night.exit_code, 0);
  EXPECT_EQ(of_case(maker.look(kStep + 1), "0").state, track::NightState::kSuspect);
  maker.tell({.what = "watched", .details = {{"series", std::string("0")}}});
  EXPECT_EQ(of_case(maker.look(kStep), "0").state, track::NightState::kSuspect);
}

TEST(Night, OlderThanOneThatWasJudgedRecordsNothing) {
  HistoryMaker maker;
  maker.add_series("0", stepped(24, 1.05));
  (void)maker.judge(kStep + 2);
  const track::Night night = maker.look(kStep);
  EXPECT_FALSE(night.is_newest);
  EXPECT_THAT(night.events, IsEmpty());
  EXPECT_THAT(night.notes, ElementsAre(HasSubstr("a later night was judged already")));
}

TEST(Alerts, ShowHowOftenTheyWereRight) {
  HistoryMaker maker;
  Nightly values = HistoryMaker::steady(60);
  values[20] = *values[20] * 1.3;
  values[30] = *values[30] * 1.3;
  for (std::size_t i = 40; i < values.size(); ++i) values[i] = *values[i] * 1.05;
  maker.add_series("0", values);
  for (std::size_t night = 15; night < 60; ++night) {
    const track::Night each = maker.judge(night);
    if (of_case(each, "0").state != track::NightState::kSuspect) continue;
    maker.measure(each,
                  night >= 40 ? track::AlertState::kRegression : track::AlertState::kNotReproduced);
  }
  const track::AlertPrecision precision = maker.look(59).precision;
  EXPECT_EQ(precision.confirmed, 1U);
  EXPECT_EQ(precision.not_reproduced, 2U);
}

}  // namespace
}  // namespace stepbench::report
