// SPDX-License-Identifier: Apache-2.0
#include "harness/nights/internal/judge_night.h"

#include "harness/nights/acts.h"
#include "tests/testing.h"
#include "tests/unit/nights/night_maker.h"

namespace stepbench::nights {
namespace {

using test::NightMaker;

constexpr const char* kMorning = "2026-01-21";

NightMaker two_series(double a, double b) {
  NightMaker maker;
  maker.add_series("a", NightMaker::moved_from(20, a, 76e6));
  maker.add_series("b", NightMaker::moved_from(20, b, 50e6));
  return maker;
}

TEST(Night, FirstNight_HasNoVerdict) {
  NightMaker maker = two_series(1, 1);
  const Night night = maker.live(0);
  EXPECT_EQ(night.verdict, NightState::kNoVerdict);
  EXPECT_EQ(night.exit_code, 0);
  EXPECT_EQ(night.series.front().why, NightReason::kNoReference);
}

TEST(Night, NoChange_IsOk) {
  NightMaker maker = two_series(1, 1);
  const Night night = maker.live(19);
  EXPECT_EQ(night.verdict, NightState::kOk);
  EXPECT_EQ(night.exit_code, 0);
  EXPECT_THAT(maker.events, IsEmpty());
}

TEST(Night, SeriesReportedTogether_AreOneAlert) {
  NightMaker maker = two_series(1.08, 1.06);
  const Night night = maker.live(20);
  EXPECT_EQ(night.verdict, NightState::kRegression);
  EXPECT_EQ(night.exit_code, 1);
  ASSERT_THAT(night.alerts.alerts, SizeIs(1));
  EXPECT_THAT(night.alerts.alerts.front().series, SizeIs(2));
  EXPECT_EQ(night.alerts.alerts.front().last_good, NightMaker::run_id(19));
  EXPECT_EQ(night.alerts.alerts.front().first_bad, NightMaker::run_id(20));
  EXPECT_THAT(night.reported, ElementsAre("A1"));
  EXPECT_EQ(night.series.front().alert, "A1");
}

TEST(Night, EarlierAlert_IsRedAndNotNew) {
  NightMaker maker = two_series(1.08, 1.06);
  const Night night = maker.live(22);
  EXPECT_EQ(night.exit_code, 1);
  EXPECT_THAT(night.reported, IsEmpty());
  EXPECT_EQ(exit_code_of(night, {.allow_known = true}), 0);
}

TEST(Night, RecoveredSeries_FixTheAlert) {
  NightMaker maker;
  test::Nightly a = NightMaker::moved_from(20, 1.08, 76e6, 30);
  test::Nightly b = NightMaker::moved_from(20, 1.08, 50e6, 30);
  for (std::size_t i = 23; i < 30; ++i) a[i] = NightMaker::steady(30)[i];
  for (std::size_t i = 25; i < 30; ++i) b[i] = NightMaker::steady(30, 50e6)[i];
  maker.add_series("a", a);
  maker.add_series("b", b);
  EXPECT_EQ(maker.live(24).exit_code, 1);
  EXPECT_EQ(maker.alert("A1").state, AlertState::kOpen) << "one of two is back";
  const Night night = maker.live(27);
  EXPECT_EQ(maker.alert("A1").state, AlertState::kFixed);
  EXPECT_EQ(night.verdict, NightState::kOk);
  EXPECT_EQ(night.exit_code, 0);
}

TEST(Night, AcceptedAlert_IsGreen) {
  NightMaker maker = two_series(1.08, 1);
  (void)maker.live(20);
  maker.tell(accept_alert(maker.alert("A1"), {.reason = "wanted"}, kMorning));
  const Night night = maker.live(22);
  EXPECT_EQ(night.verdict, NightState::kOk);
  EXPECT_EQ(maker.alert("A1").state, AlertState::kAccepted);
}

TEST(Night, StepAfterAcceptance_IsAnotherAlert) {
  NightMaker maker;
  test::Nightly values = NightMaker::moved_from(20, 1.08, 76e6, 30);
  for (std::size_t i = 24; i < 30; ++i) values[i] = *values[i] * 1.1;
  maker.add_series("a", values);
  (void)maker.live(20);
  maker.tell(accept_alert(maker.alert("A1"), {.reason = "wanted"}, kMorning));
  EXPECT_EQ(maker.live(23).exit_code, 0);
  const Night night = maker.live(24);
  EXPECT_EQ(night.exit_code, 1);
  EXPECT_THAT(night.reported, ElementsAre("A2"));
  EXPECT_EQ(maker.alert("A1").state, AlertState::kAccepted);
}

TEST(Night, ExpiredAcceptance_Reopens) {
  NightMaker maker = two_series(1.08, 1);
  (void)maker.live(20);
  maker.tell(
      accept_alert(maker.alert("A1"), {.reason = "release", .until = "2026-01-23"}, kMorning));
  EXPECT_EQ(maker.live(22).exit_code, 0);
  const Night night = maker.live(23);
  EXPECT_EQ(night.exit_code, 1);
  EXPECT_THAT(night.reported, ElementsAre("A1"));
}

TEST(Night, IgnoredSeries_IsNotJudged) {
  NightMaker maker = two_series(1.08, 1);
  maker.tell(ignore_series(maker.history.series.front().series, "noisy", "", kMorning));
  const Night night = maker.live(21);
  EXPECT_EQ(night.exit_code, 0);
  EXPECT_EQ(night.series.front().why, NightReason::kIgnored);
  EXPECT_THAT(night.alerts.alerts, IsEmpty());
}

TEST(Night, Improvement_IsNoAlert) {
  NightMaker maker = two_series(.92, 1);
  const Night night = maker.live(20);
  EXPECT_EQ(night.verdict, NightState::kImprovement);
  EXPECT_EQ(night.exit_code, 0);
  EXPECT_THAT(night.alerts.alerts, IsEmpty());
}

// One series with pairs of any kind.
class OneNight : public ::testing::Test {
 protected:
  OneNight() {
    history_.runs.push_back({.run_id = "n1",
                             .started_utc = "2026-01-01T02:00:00Z",
                             .experiment = "train",
                             .host = "box",
                             .build_id = "b1"});
    history_.series.push_back({.series = {.id = "s",
                                          .experiment = "train",
                                          .case_id = "c",
                                          .metric = "step_ns",
                                          .unit = "ns",
                                          .direction = Direction::kLowerIsBetter,
                                          .monitored = true},
                               .points = {{.run = 0, .value = 1e6}}});
  }
  NightPairs pairs(NightReason why, const std::string& reference_run = "n0") {
    return {.night = nights::night_of(history_.runs.front()),
            .build = "b1",
            .reference = reference_run == "n1" ? "b1" : "b0",
            .reference_run = reference_run,
            .why = why};
  }
  Night judge(const std::vector<NightPairs>& pairs) {
    return judge_night({.history = history_, .tonight = {"n1"}, .pairs = pairs}, {}).night;
  }
  nights::History history_;
};

TEST_F(OneNight, NoPairs_ReportTheCause) {
  struct Row {
    NightPairs pairs;
    NightState state;
    NightReason why;
    int exit_code;
  };
  for (const Row& row : std::vector<Row>{
           {pairs(NightReason::kNoReference, "n1"), NightState::kNoVerdict,
            NightReason::kNoReference, 0},
           {pairs(NightReason::kBaseline, "n1"), NightState::kNoVerdict, NightReason::kBaseline, 0},
           {pairs(NightReason::kReferenceFails, "n1"), NightState::kNoVerdict,
            NightReason::kReferenceFails, 0},
           {pairs(NightReason::kReferenceFails), NightState::kNoData, NightReason::kReferenceFails,
            4},
           {pairs(NightReason::kTonightFails), NightState::kNoData, NightReason::kTonightFails, 4},
           {pairs(NightReason::kSameProgram), NightState::kOk, NightReason::kSameProgram, 0},
           {pairs(NightReason::kCannotStore), NightState::kNoVerdict, NightReason::kCannotStore,
            0}}) {
    const Night night = judge({row.pairs});
    ASSERT_THAT(night.series, SizeIs(1));
    EXPECT_EQ(night.series[0].state, row.state) << name_of(row.why);
    EXPECT_EQ(night.series[0].why, row.why);
    EXPECT_EQ(night.exit_code, row.exit_code) << name_of(row.why);
  }
}

TEST_F(OneNight, AddedRun_IsShownAndNotJudged) {
  const Night night = judge({});
  ASSERT_THAT(night.series, SizeIs(1));
  EXPECT_EQ(night.series[0].state, NightState::kNoVerdict);
  EXPECT_EQ(night.series[0].why, NightReason::kValues);
  EXPECT_EQ(night.exit_code, 0);
}

TEST_F(OneNight, BudgetCutOff_IsASuspect) {
  NightPairs left = pairs(NightReason::kMeasured);
  left.unfinished = {"s"};
  left.series = {{.series = "s", .pairs = {.04, .0, .05, .01}, .first = 4}};
  const Night night = judge({left});
  EXPECT_EQ(night.series[0].state, NightState::kSuspect);
  EXPECT_EQ(night.series[0].why, NightReason::kBudget);
  EXPECT_EQ(night.exit_code, 3);
  EXPECT_EQ(exit_code_of(night, {.allow_inconclusive = true}), 0);
}

TEST_F(OneNight, NothingToJudge_IsNoData) {
  history_.series.clear();
  const Night night = judge({});
  EXPECT_EQ(night.verdict, NightState::kNoData);
  EXPECT_EQ(night.exit_code, 4);
}

}  // namespace
}  // namespace stepbench::nights
