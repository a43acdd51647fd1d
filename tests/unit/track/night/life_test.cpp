// SPDX-License-Identifier: Apache-2.0
// Whole lives of alerts, night by night through the real judging code: programs have a true speed,
// and measurements find it.
#include <gmock/gmock.h>

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "harness/stats/random.h"
#include "harness/track/margins.h"
#include "harness/track/notices.h"
#include "tests/unit/track/night/history_maker.h"

namespace stepbench::track {
namespace {

using test::HistoryMaker;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::Ge;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Le;
using ::testing::SizeIs;

// Factors of the nights' programs: from night `at` on the next one.
struct From {
  std::size_t at;
  double factor;
};
std::vector<double> factors(std::size_t nights, const std::vector<From>& changes) {
  std::vector<double> all(nights, 1.0);
  for (const From& change : changes) {
    for (std::size_t i = change.at; i < nights; ++i) all[i] = change.factor;
  }
  return all;
}

const NightSeries& only(const Night& night) { return night.series.at(0); }

// Exit statuses of the nights, "0013".
std::string exits(HistoryMaker& maker, std::size_t from, std::size_t until) {
  std::string all;
  for (std::size_t night = from; night < until; ++night) {
    all += std::to_string(maker.live(night).exit_code);
  }
  return all;
}

TEST(Life, OfAStepEndsByMeasurementsInTheNightsAfterItIsMended) {
  HistoryMaker maker;
  maker.add_programs("0", factors(40, {{20, 1.05}, {30, 1.0}}));
  EXPECT_EQ(exits(maker, 0, 20), std::string(20, '0'));
  EXPECT_FALSE(maker.live(20).only_known);
  EXPECT_TRUE(maker.live(21).only_known);
  maker.allow_known = true;
  EXPECT_EQ(maker.look(21).exit_code, 0);
  EXPECT_EQ(maker.look(21).verdict, NightState::kRegression);
  maker.allow_known = false;
  EXPECT_EQ(exits(maker, 22, 40), std::string(9, '1') + "000000000");
  const Alert alert = maker.alert("A1");
  EXPECT_EQ(alert.state, AlertState::kFixed);
  EXPECT_EQ(alert.last_good, HistoryMaker::run_id(19));
  EXPECT_EQ(alert.first_bad, HistoryMaker::run_id(20));
  EXPECT_EQ(maker.look(39).alerts.alerts.size(), 1U) << "no improvement besides";
  EXPECT_EQ(only(maker.look(39)).points, 28U) << "the level of before goes on, without the slow";
}

// The night after a measurement that found it still there: the way back is an improvement, once.
TEST(Life, OfAStepThatIsMendedRightAfterItWasFoundStillThereIsOneImprovement) {
  HistoryMaker maker;
  maker.add_programs("0", factors(40, {{20, 1.05}, {23, 1.0}}));
  EXPECT_EQ(exits(maker, 0, 23), std::string(20, '0') + "111");
  maker.measured_due.clear();
  (void)maker.live(23);
  EXPECT_EQ(maker.look(23).alerts.alerts.size(), 2U);
  EXPECT_EQ(maker.alert("A2").state, AlertState::kImprovement);
  EXPECT_THAT(maker.measured_due, SizeIs(Le(2U))) << "a bridge, and the suspicion once";
  (void)exits(maker, 24, 40);
  EXPECT_EQ(maker.alert("A1").state, AlertState::kFixed);
  EXPECT_EQ(maker.look(39).alerts.alerts.size(), 2U);
  EXPECT_EQ(maker.look(39).exit_code, 0);
}

// A step in the first nights of a level is told the same night; so is what was gained and is lost,
// and what grows has a range of its own.
TEST(Life, OfAStep_IsToldTheSameNightWithItsRange) {
  struct Row {
    std::vector<From> changes;
    std::size_t told;  // in that night
    std::string alert;
  };
  for (const Row& row : std::vector<Row>{{{{2, 1.05}}, 2, "A1"},
                                         {{{5, 1.05}}, 5, "A1"},
                                         {{{9, 1.05}}, 9, "A1"},
                                         {{{20, 0.9}, {21, 1.0}}, 21, "A2"},
                                         {{{20, 0.9}, {24, 1.0}}, 24, "A2"},
                                         {{{20, 0.9}, {40, 1.0}}, 40, "A2"}}) {
    SCOPED_TRACE(row.told);
    HistoryMaker maker;
    maker.add_programs("0", factors(50, row.changes));
    EXPECT_EQ(exits(maker, 0, row.told), std::string(row.told, '0')) << "faster is no failure";
    if (row.alert == "A2") {
      EXPECT_EQ(maker.alert("A1").state, AlertState::kImprovement);
    }
    EXPECT_EQ(maker.live(row.told).exit_code, 1);
    EXPECT_EQ(maker.alert(row.alert).last_good, HistoryMaker::run_id(row.told - 1));
    EXPECT_EQ(maker.alert(row.alert).first_bad, HistoryMaker::run_id(row.told));
    EXPECT_EQ(exits(maker, row.told + 1, row.told + 9), "11111111");
  }
}

TEST(Life, OfAStepThatComesWithAnotherEnvironmentIsTheProgramsAlone) {
  HistoryMaker maker;
  maker.add_programs("0", factors(40, {{25, 1.05}}));
  maker.set_cohort_from(25, "560.9");
  for (const std::size_t slower : {20U, 21U, 22U, 23U, 24U}) maker.live(slower);
  const Night night = maker.live(25);
  EXPECT_EQ(night.exit_code, 1);
  EXPECT_NEAR(maker.alert("A1").series[0].measured[0].change, 0.05, 1e-9);
  EXPECT_EQ(maker.alert("A1").last_good, HistoryMaker::run_id(24));
}

TEST(Life, OfAStepInAYoungLevelIsHeldAgainstEachGoodProgramAsOften) {
  HistoryMaker maker;
  maker.nightly = true;
  maker.add_programs("0", factors(40, {{3, 1.05}}));
  (void)exits(maker, 0, 40);
  std::map<std::string, int> times;
  for (const DueMeasurement& due : maker.measured_due) {
    if (due.why == DueFor::kClosing) ++times[due.against];
  }
  ASSERT_THAT(times, SizeIs(3)) << "all of the three nights before it";
  for (const auto& [run, count] : times) EXPECT_THAT(count, AllOf(Ge(2), Le(4))) << run;
}

// track.margin: 4 % of this series do not matter.
TEST(Life, OfASeriesWithAMarginTellsOnlyWhatIsBeyondIt) {
  for (const bool nightly : {false, true}) {
    HistoryMaker maker;
    maker.nightly = nightly;
    maker.add_programs("0", factors(40, {{20, 1.03}, {30, 1.03 * 1.08}}));
    maker.add_programs("2", factors(40, {{20, 1.03}, {30, 1.03 * 1.08}}));
    for (std::size_t night = 0; night < 40; ++night) {
      set_margin(maker.run(night), "0", "step_ns", 0.04);
    }
    (void)exits(maker, 0, 30);
    const AlertLog early = fold_alerts(maker.events);
    for (const Alert& alert : early.alerts) {
      EXPECT_EQ(alert.find("0"), nullptr) << alert.id << ": not even measured";
    }
    EXPECT_EQ(maker.look(29).exit_code, 1) << "of the other series";
    (void)exits(maker, 30, 36);
    const Night night = maker.look(35);
    ASSERT_THAT(night.series, SizeIs(2));
    EXPECT_EQ(night.series[0].state, NightState::kRegression);
    const AlertLog late = fold_alerts(maker.events);
    const AlertSeries* own = late.find(night.series[0].alert)->find("0");
    EXPECT_EQ(own->first_bad, HistoryMaker::run_id(30));
    EXPECT_EQ(own->measured.at(0).margin, 0.04);
  }
}

TEST(Life, OfAnotherEnvironmentAloneIsNoAlertAndSaysWhatTheProgramsDid) {
  HistoryMaker maker;
  maker.add_programs("0", factors(40, {}));
  for (std::size_t i = 25; i < 40; ++i) maker.point("0", i).value *= 1.08;
  maker.set_cohort_from(25, "560.9");
  EXPECT_EQ(exits(maker, 15, 25), "0000000000");
  const Night night = maker.live(25);
  EXPECT_EQ(only(night).state, NightState::kEnvironmentChange);
  ASSERT_THAT(night.cohorts, SizeIs(1));
  EXPECT_EQ(night.cohorts[0].field, "gpu.driver");
  EXPECT_EQ(night.cohorts[0].before, "550.1");
  EXPECT_EQ(night.cohorts[0].tonight, "560.9");
  EXPECT_NEAR(only(night).change.value(), 0.08, 0.006);
  EXPECT_THAT(only(night).why, HasSubstr("held against the program of 2026-01-25: +0.00 %"));
  EXPECT_EQ(exits(maker, 26, 40), std::string(14, '0'));
  EXPECT_THAT(maker.look(39).alerts.alerts, IsEmpty());
}

TEST(Life, OfAnAcceptedChangeIsHeldAgainstWhatIsMeasuredAfterIt) {
  HistoryMaker maker;
  maker.add_programs("0", factors(50, {{20, 1.05}, {26, 1.05 * 1.11}}));
  EXPECT_EQ(exits(maker, 0, 22), std::string(20, '0') + "11");
  maker.tell({.what = "acknowledged", .alert_id = "A1", .reason = "needed"});
  EXPECT_EQ(exits(maker, 22, 26), "0000");
  EXPECT_EQ(exits(maker, 26, 30), "1111");
  const Alert second = maker.alert("A2");
  EXPECT_EQ(second.last_good, HistoryMaker::run_id(25));
  EXPECT_EQ(second.first_bad, HistoryMaker::run_id(26));
  EXPECT_NEAR(second.series[0].measured[0].change, 0.11, 1e-9);
}

TEST(Life, OfAnOpenRegressionThatGrowsIsToldAgainWithItsOwnRange) {
  HistoryMaker maker;
  maker.add_programs("0", factors(60, {{20, 1.05}, {24, 1.15}, {36, 1.20}}));
  (void)exits(maker, 0, 30);
  EXPECT_EQ(maker.alert("A2").first_bad, HistoryMaker::run_id(24));
  EXPECT_EQ(maker.alert("A2").last_good, HistoryMaker::run_id(23));
  (void)exits(maker, 30, 40);
  EXPECT_EQ(maker.alert("A3").first_bad, HistoryMaker::run_id(36));
  EXPECT_EQ(maker.alert("A1").state, AlertState::kRegression);
}

TEST(Life, OfAnAlertOfACaseThatWasRemovedStaysRedUntilAPersonClosesIt) {
  HistoryMaker maker;
  std::vector<double> both = factors(30, {});
  maker.add_programs("0", both);
  maker.add_programs("2", factors(24, {{20, 1.05}}));
  for (std::size_t i = 24; i < 30; ++i) maker.run(i).plan_digest = "without it";
  EXPECT_EQ(exits(maker, 0, 30), std::string(20, '0') + std::string(10, '1'));
  EXPECT_THAT(maker.look(29).absent, ElementsAre("A1"));
  maker.tell({.what = "acknowledged", .alert_id = "A1", .reason = "the case is gone"});
  EXPECT_EQ(maker.look(29).exit_code, 0);
}

TEST(Life, OfASuspicionThatCannotBeMeasuredExpiresAndLeavesTheSeriesJudged) {
  HistoryMaker maker;
  maker.add_programs("0", factors(80, {{20, 1.3}, {60, 1.3 * 1.3}}));
  for (std::size_t i = 0; i < 80; ++i) maker.gone.insert(HistoryMaker::run_id(i));
  EXPECT_EQ(exits(maker, 0, 20), std::string(20, '0'));
  EXPECT_EQ(exits(maker, 20, 34), std::string(14, '3'));
  EXPECT_EQ(maker.live(34).exit_code, 0);
  EXPECT_EQ(maker.alert("A1").state, AlertState::kUnmeasured);
  EXPECT_THAT(maker.alert("A1").note, HasSubstr("could not be measured in 14 nights"));
  EXPECT_EQ(exits(maker, 35, 60), std::string(25, '0'));
  EXPECT_EQ(maker.live(60).exit_code, 3) << "the new level has its points and is judged";
}

// How many of these notes speak of a program that could not be measured.
std::size_t unusable_told(const Night& night) {
  return static_cast<std::size_t>(
      std::count_if(night.notes.begin(), night.notes.end(), [](const std::string& note) {
        return note.find("could not be measured beside tonight's") != std::string::npos;
      }));
}

TEST(Life, OfAYoungLevelWhoseProgramDoesNotStartGoesOnWithTheNextOneAndSaysSoOnce) {
  HistoryMaker maker;
  maker.add_programs("0", factors(30, {{6, 1.05}}));
  maker.add_programs("2", factors(30, {}));
  maker.broken = {HistoryMaker::run_id(0), HistoryMaker::run_id(1)};
  (void)maker.live(0);
  std::size_t told = 0;
  for (std::size_t night = 1; night < 6; ++night) told += unusable_told(maker.live(night));
  EXPECT_EQ(told, 2U) << "each program once, of both series";
  EXPECT_EQ(maker.live(6).exit_code, 1);
  EXPECT_EQ(maker.alert("A1").last_good, HistoryMaker::run_id(5));
  std::map<std::string, int> asked;
  for (const DueMeasurement& due : maker.measured_due) ++asked[due.against];
  EXPECT_EQ(asked[HistoryMaker::run_id(0)], 2) << "by each series, and no more";

  // Where none starts each is tried again after two weeks.
  HistoryMaker none;
  none.add_programs("0", factors(30, {}));
  for (std::size_t night = 0; night < 30; ++night) none.broken.insert(HistoryMaker::run_id(night));
  (void)exits(none, 0, 30);
  asked.clear();
  for (const DueMeasurement& due : none.measured_due) ++asked[due.against];
  for (const auto& [run, times] : asked) EXPECT_LE(times, 3) << run;
  EXPECT_THAT(asked[HistoryMaker::run_id(0)], AllOf(Ge(2), Le(3)));
}

TEST(Life, OfAStepWhoseLastGoodProgramDoesNotStartIsHeldAgainstAnotherOne) {
  HistoryMaker maker;
  maker.add_programs("0", factors(40, {{25, 1.05}}));
  maker.broken = {HistoryMaker::run_id(24)};
  (void)exits(maker, 0, 25);
  const Night night = maker.live(25);
  EXPECT_EQ(night.exit_code, 1);
  EXPECT_EQ(unusable_told(night), 1U);
  EXPECT_EQ(maker.alert("A1").first_bad, HistoryMaker::run_id(25));
  EXPECT_EQ(maker.alert("A1").last_good, HistoryMaker::run_id(23))
      << "the newest that was measured";
}

// It was there against the oldest program of the level, which may be a fast one by chance.
TEST(Life, OfAStepThatAnOldProgramShowedIsClosedByTheNeighboursOfThat) {
  HistoryMaker maker;
  maker.add_programs("0", factors(40, {{21, 1.05}}));
  maker.point("0", 20).value *= 1.2;
  EXPECT_EQ(exits(maker, 0, 40), std::string(21, '0') + std::string(19, '1'));
  EXPECT_EQ(maker.alert("A1").last_good, HistoryMaker::run_id(0));
  std::set<std::string> closing;
  for (const DueMeasurement& due : maker.measured_due) {
    if (due.why == DueFor::kClosing) closing.insert(due.against);
  }
  for (const std::size_t near : {1U, 2U, 3U}) {
    EXPECT_TRUE(closing.contains(HistoryMaker::run_id(near))) << near;
  }
  EXPECT_LE(closing.size(), 4U);
}

TEST(Life, OfAStepThatNoKeptProgramCanBeHeldAgainstBlamesNobody) {
  HistoryMaker maker;
  maker.add_programs("0", factors(40, {{25, 1.05}}));
  for (std::size_t night = 0; night < 25; ++night) {
    maker.broken.insert(HistoryMaker::run_id(night));
    if (night < 23) maker.gone.insert(HistoryMaker::run_id(night));
  }
  (void)exits(maker, 0, 25);
  EXPECT_EQ(maker.live(25).exit_code, 0);
  EXPECT_EQ(maker.alert("A1").state, AlertState::kEnvironmentChange);
  EXPECT_EQ(exits(maker, 26, 40), std::string(14, '0'));
}

// A branch that was deleted: its nights end, and those of main go on.
TEST(Life, OfADeletedBranchLeavesMainAloneAndItsAlertToAPerson) {
  HistoryMaker maker;
  maker.add_programs("0", factors(40, {}));
  maker.add_programs("2", factors(25, {{20, 1.3}}), "train@dev");
  EXPECT_EQ(exits(maker, 0, 25), std::string(20, '0') + std::string(5, '1'));
  EXPECT_EQ(exits(maker, 25, 40), std::string(15, '0')) << "no night of main is red for it";
  EXPECT_EQ(maker.alert("A1").state, AlertState::kRegression);
  maker.tell({.what = "acknowledged", .alert_id = "A1", .reason = "the branch is gone"});
  EXPECT_EQ(maker.alert("A1").state, AlertState::kAcknowledged);
  EXPECT_EQ(maker.look(39).exit_code, 0);
}

TEST(Life, OfASuspicionThatNobodyMeasuredYetIsMeasuredWhenItCanBe) {
  HistoryMaker maker;
  maker.add_programs("0", factors(40, {{20, 1.05}}));
  (void)exits(maker, 0, 20);
  maker.answers = AlertState::kInvalid;
  EXPECT_EQ(maker.live(20).exit_code, 4);
  EXPECT_EQ(maker.alert("A1").state, AlertState::kInvalid);
  maker.answers.reset();
  EXPECT_EQ(maker.live(21).exit_code, 1);
}

TEST(Life, OfASpikeIsMeasuredWithTwoProgramsAndDropped) {
  HistoryMaker maker;
  maker.add_programs("0", factors(40, {}));
  maker.point("0", 20).value *= 1.2;
  EXPECT_EQ(exits(maker, 0, 20), std::string(20, '0'));
  const Night spike = maker.live(20);
  EXPECT_EQ(only(spike).state, NightState::kDoubtful);
  EXPECT_EQ(spike.exit_code, 0);
  EXPECT_EQ(only(maker.live(21)).state, NightState::kNotReproduced);
  EXPECT_EQ(only(maker.live(22)).state, NightState::kOk);
  EXPECT_EQ(only(maker.look(22)).points, 22U) << "the spike stays in the level";
}

TEST(Life, OfAStepAfterASpikeIsAnEpisodeOfItsOwn) {
  HistoryMaker maker;
  maker.add_programs("0", factors(40, {{23, 1.05}}));
  maker.add_programs("2", factors(40, {}));
  maker.point("0", 20).value *= 1.2;
  maker.point("2", 20).value *= 1.2;
  (void)exits(maker, 0, 24);
  const Alert alert = maker.alert("A2");
  EXPECT_EQ(alert.state, AlertState::kRegression);
  EXPECT_EQ(alert.last_good, HistoryMaker::run_id(22));
  EXPECT_THAT(alert.series, SizeIs(1)) << "the series that did not move is not in it";
}

TEST(Life, OfCreepIsHeldAgainstTheProgramThatWasKept) {
  HistoryMaker maker;
  std::vector<double> creeping(120, 1.0);  // so slow that no screen sees it
  for (std::size_t i = 20; i < 120; ++i) creeping[i] = 1 + 0.0006 * static_cast<double>(i - 19);
  maker.add_programs("0", creeping);
  std::size_t told = 0;
  for (std::size_t night = 0; night < 120 && told == 0; ++night) {
    if (maker.live(night).exit_code == 1) told = night;
  }
  ASSERT_GT(told, 0U);
  EXPECT_LT(creeping[told], 1.04);
  const AlertLog log = fold_alerts(maker.events);
  const Alert& alert = log.alerts.back();
  EXPECT_EQ(alert.state, AlertState::kRegression);
  EXPECT_LE(alert.last_good, HistoryMaker::run_id(20)) << "the range holds where it began";
}

TEST(Life, OfABaselineByHandFindsAStepTheNightAfter) {
  HistoryMaker maker;
  maker.add_programs("0", factors(40, {{24, 1.05}}));
  (void)exits(maker, 0, 22);
  maker.tell({.what = "baseline",
              .reason = "new loss",
              .details = {{"run", HistoryMaker::run_id(21)},
                          {"experiment", std::string("train")},
                          {"host", std::string("box")}}});
  EXPECT_EQ(exits(maker, 22, 26), "0011");
}

TEST(Life, OfAQuietSeriesCostsAFewLaunchesAWeek) {
  HistoryMaker maker;
  maker.add_programs("0", factors(60, {}));
  (void)exits(maker, 0, 60);
  EXPECT_THAT(maker.measured_due, SizeIs(AllOf(Ge(15U), Le(18U)))) << "ten nights, then weekly";
}

// Whatever happened: a series is never deaf, an alert can always end, and nothing is told twice.
class LifeOfRandomNights : public ::testing::TestWithParam<bool> {};  // beside a reference

TEST_P(LifeOfRandomNights, IsNeverDeafAlwaysEndsAndTellsOnce) {
  constexpr std::size_t kWalk = 60;
  constexpr std::size_t kAfter = 45;
  constexpr int kWalks = 10;
  for (int walk = 0; walk < kWalks; ++walk) {
    stats::Random random(static_cast<std::uint64_t>(walk) + 1);
    std::vector<double> programs;
    double factor = 1;
    for (std::size_t night = 0; night < kWalk; ++night) {
      if (random.unit() < 0.08) factor *= 0.9 + 0.2 * random.unit();
      programs.push_back(factor);
    }
    // A step at the end, and its end.
    for (std::size_t night = 0; night < kAfter; ++night) {
      programs.push_back(night < 20 ? factor : night < 30 ? factor * 1.3 : factor);
    }
    HistoryMaker maker;
    maker.nightly = GetParam();
    maker.add_programs("0", programs);
    for (std::size_t night = 0; night < kWalk; ++night) {
      if (random.unit() < 0.05) maker.point("0", night).value *= 1.2;
      if (random.unit() < 0.04) maker.point("0", night).value = std::nan("");
    }
    if (random.unit() < 0.5) maker.set_cohort_from(20 + random.below(20), "other");
    std::size_t told = 0;
    const auto tell = [&] {
      for (const Notice& notice : notices_due(maker.events, "")) {
        ++told;
        maker.tell(event_of(notice, kTold, "", "me"));
      }
    };
    for (std::size_t night = 0; night < kWalk; ++night) {
      const double what = random.unit();
      maker.answers.reset();
      maker.gone.clear();
      if (what < 0.1) maker.answers = AlertState::kInvalid;
      if (what > 0.9) maker.answers = AlertState::kSuspect;
      if (what > 0.8 && what < 0.85) maker.answers = AlertState::kEnvironmentChange;
      (void)maker.live(night);
      tell();
      for (const Alert& alert : fold_alerts(maker.events).alerts) {
        if (alert.state != AlertState::kRegression || random.unit() > 0.1) continue;
        const bool for_a_while = random.unit() < 0.5;
        Fields until;
        if (for_a_while) until["until"] = HistoryMaker::run_id(night + 3).substr(0, 10);
        maker.tell({.what = "acknowledged", .alert_id = alert.id, .details = until});
      }
    }
    maker.answers.reset();
    for (std::size_t night = kWalk; night < kWalk + 20; ++night) {
      (void)maker.live(night);
      tell();
    }
    std::size_t regressions = 0;
    for (std::size_t night = kWalk + 20; night < kWalk + 25; ++night) {
      (void)maker.live(night);
      tell();
      for (const Alert& alert : fold_alerts(maker.events).alerts) {
        regressions += alert.state == AlertState::kRegression &&
                               alert.first_bad >= HistoryMaker::run_id(kWalk + 20)
                           ? 1
                           : 0;
      }
    }
    EXPECT_GT(regressions, 0U) << "deaf after walk " << walk;
    for (std::size_t night = kWalk + 25; night < kWalk + kAfter; ++night) {
      (void)maker.live(night);
      tell();
    }
    std::size_t news = 0;
    for (const Alert& alert : fold_alerts(maker.events).alerts) {
      EXPECT_FALSE(is_pending(alert.state))
          << "walk " << walk << ": " << alert.id << " is " << name_of(alert.state) << " for ever";
      const bool planted = alert.first_bad == HistoryMaker::run_id(kWalk + 20);
      EXPECT_TRUE(!planted || alert.state == AlertState::kFixed)
          << "walk " << walk << ": " << alert.id << " does not close";
      for (const TrackEvent& event : alert.events) {
        const bool is_told =
            event.to_state == "regression" && event.from_state != "regression" && alert.worse;
        news += is_told ? 1 : 0;
      }
    }
    EXPECT_LE(told, news) << "walk " << walk;
    EXPECT_THAT(notices_due(maker.events, ""), IsEmpty());
  }
}

INSTANTIATE_TEST_SUITE_P(References, LifeOfRandomNights, ::testing::Bool(), [](const auto& each) {
  return std::string(each.param ? "Nightly" : "Suspects");
});

}  // namespace
}  // namespace stepbench::track
