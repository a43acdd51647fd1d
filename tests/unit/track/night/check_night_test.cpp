// SPDX-License-Identifier: Apache-2.0
// Nights in a real history, with measurements that a test scripts.
#include "harness/campaign/check_night.h"

#include <gmock/gmock.h>

#include <string>
#include <utility>
#include <vector>

#include "harness/base/error.h"
#include "harness/document/render.h"
#include "harness/report/night_json.h"
#include "harness/store/database.h"
#include "harness/store/sqlite.h"
#include "tests/temporary_folder.h"
#include "tests/unit/track/history/made_night.h"

namespace stepbench::report {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::SizeIs;
using ::testing::ThrowsMessage;
using testing_history::MadeNight;

constexpr int kBadDay = 21;

std::string checked_page(const campaign::CheckedNight& checked) {
  return document::render(night_document(checked, {}), {});
}

class CheckedNights : public ::testing::Test {
 protected:
  CheckedNights() {
    for (int day = 1; day <= kBadDay; ++day) add(day, day == kBadDay ? 1.06 : 1);
  }

  void add(int day, double factor, const std::string& host = "bench1") {
    MadeNight made;
    made.host = host;
    made.build_id = "build" + std::to_string(day);
    made.cases = {"aaaaaaaaaaaaaaaa", "bbbbbbbbbbbbbbbb"};
    made.step_ns = [day, factor](const std::string& case_id, int launch) {
      const double noise = 1 + 0.001 * ((7 * day) % 5 - 2);
      const double moved = case_id.front() == 'a' ? factor : 1;
      return static_cast<std::int64_t>(1e7 * noise * moved) + 1000 * launch;
    };
    (void)store_.add(testing_history::make(testing_history::night(day, made)), "results/run");
  }

  // Answers all suspects alike.
  campaign::MeasureSuspects measuring(track::AlertState state, std::size_t times = 1) {
    return [this, state, times](const campaign::ConfirmRequest& request) {
      if (!request.bridge) asked_.push_back(request);
      campaign::ConfirmedNight night;
      for (const campaign::Suspect& suspect : request.suspects) {
        campaign::ConfirmedSeries series{
            .suspect = suspect, .state = state, .why = "measured in the test"};
        for (std::size_t i = 0; i < times; ++i) {
          series.answers.push_back({.reproduced = state != track::AlertState::kNotReproduced,
                                    .change = change_,
                                    .low = change_ - 0.003,
                                    .high = change_ + 0.003,
                                    .p = 1e-6,
                                    .pairs = 20});
          series.folders.emplace_back("results/campaign" + std::to_string(i + 1));
          series.builds.emplace_back("build20 build21");
        }
        series.cause = {{.phase = "data_wait", .change_ns = 5e5, .interval_ns = {}, .share = 0.83}};
        night.series.push_back(std::move(series));
      }
      return night;
    };
  }

  static campaign::CheckRequest request() {
    return {.host = "bench1", .who = "ann@bench1", .now_utc = "2026-01-21T06:00:00Z"};
  }

  test::TemporaryFolder folder_;
  track::TrackStore store_ = track::TrackStore::open("sqlite:" + (folder_ / "history.db").string());
  std::vector<campaign::ConfirmRequest> asked_ = {};
  double change_ = 0.061;
};

TEST_F(CheckedNights, OpenOneAlertAndRecordIt) {
  const campaign::CheckedNight checked = campaign::check_night(request(), store_, {});
  EXPECT_EQ(checked.night.exit_code, 3);
  // The step and both of its phases moved; only the step is screened.
  EXPECT_EQ(checked.night.count(track::NightState::kSuspect), 1U);
  const std::vector<track::TrackEvent> events = store_.events();
  ASSERT_THAT(events, SizeIs(1));
  EXPECT_EQ(events[0].what, "fired");
  EXPECT_EQ(events[0].who, "ann@bench1");
  EXPECT_EQ(events[0].at_utc, "2026-01-21T06:00:00Z");
  EXPECT_EQ(events[0].to_state, "suspect");
  const campaign::CheckedNight unmeasured =
      campaign::check_night(request(), store_, measuring(track::AlertState::kSuspect, 0));
  EXPECT_EQ(unmeasured.night.exit_code, 3);
  EXPECT_THAT(checked_page(unmeasured), HasSubstr("not measured again: measured in the test"));
  EXPECT_THAT(store_.events(), SizeIs(1));
}

TEST_F(CheckedNights, AskForTheLastGoodBuildAgainstTonights) {
  const campaign::CheckedNight checked =
      campaign::check_night(request(), store_, measuring(track::AlertState::kRegression, 2));
  EXPECT_EQ(checked.night.exit_code, 1);
  ASSERT_THAT(asked_, SizeIs(1));
  EXPECT_EQ(asked_[0].tonight.build_id, "build21");
  ASSERT_TRUE(asked_[0].good);
  EXPECT_EQ(asked_[0].good->build_id, "build20");
  ASSERT_THAT(asked_[0].suspects, SizeIs(1));
  EXPECT_EQ(asked_[0].suspects[0].case_id, "aaaaaaaaaaaaaaaa");
  EXPECT_TRUE(asked_[0].suspects[0].higher);
  const track::Alert& alert = *checked.night.alerts.find("A1");
  EXPECT_EQ(alert.state, track::AlertState::kRegression);
  EXPECT_EQ(alert.confirmations, 2);
  EXPECT_EQ(alert.series[0].measured[1].campaign, "results/campaign2");
  EXPECT_THAT(alert.series[0].measured[1].cause, HasSubstr("data_wait +500 us, 83"));
}

TEST_F(CheckedNights, AreNotMeasuredTwiceInTheNightThatFoundThem) {
  change_ = 0.025;
  const campaign::CheckedNight once =
      campaign::check_night(request(), store_, measuring(track::AlertState::kReproduced));
  EXPECT_EQ(once.night.exit_code, 0) << "the layout of one pair of builds may do as much";
  EXPECT_EQ(once.night.alerts.find("A1")->state, track::AlertState::kReproduced);
  (void)campaign::check_night(request(), store_, measuring(track::AlertState::kReproduced));
  EXPECT_THAT(asked_, SizeIs(1));
}

TEST_F(CheckedNights, OfAnotherMachineAreJudgedAndNotMeasured) {
  campaign::CheckRequest other = request();
  other.host = "bench2";
  const campaign::CheckedNight nothing =
      campaign::check_night(other, store_, measuring(track::AlertState::kRegression));
  EXPECT_EQ(nothing.night.exit_code, 4);
  EXPECT_THAT(checked_page(nothing),
              HasSubstr("has no run of this machine, bench2; it has runs of bench1"));
  other.nights = {"20260121"};
  EXPECT_EQ(campaign::check_night(other, store_, measuring(track::AlertState::kRegression))
                .night.exit_code,
            3);
  EXPECT_THAT(asked_, IsEmpty());
}

TEST_F(CheckedNights, AreNamedByTheBeginOfTheirRun) {
  campaign::CheckRequest old = request();
  old.nights = {"20260115"};
  const campaign::CheckedNight checked = campaign::check_night(old, store_, {});
  EXPECT_EQ(checked.night.exit_code, 0);
  EXPECT_EQ(checked.night.runs[0].run_id, "20260115-020000-nightly");
  old.nights = {"20260215"};
  EXPECT_THAT([&] { (void)campaign::check_night(old, store_, {}); },
              ThrowsMessage<ConfigError>(HasSubstr("--night: the history has no run '20260215'")));
  add(22, 1, "bench2");
  old.nights = {"20260121", "20260122"};
  EXPECT_THAT([&] { (void)campaign::check_night(old, store_, {}); },
              ThrowsMessage<ConfigError>(HasSubstr("runs of two machines, bench1 and bench2")));
}

TEST_F(CheckedNights, OfARunThatAnotherProgramMeasured_IsRefused) {
  store::open_sqlite(folder_ / "history.db")
      ->exec("UPDATE run SET context = '{\"imported\":\"csv\"}' WHERE run_id LIKE '20260115%'");
  campaign::CheckRequest old = request();
  old.nights = {"20260115"};
  EXPECT_THAT([&] { (void)campaign::check_night(old, store_, {}); },
              ThrowsMessage<ConfigError>(
                  HasSubstr("--night: 20260115-020000-nightly was measured by another program")));
  store::open_sqlite(folder_ / "history.db")
      ->exec("UPDATE run SET context = '{\"imported\":\"csv\"}'");
  const campaign::CheckedNight checked = campaign::check_night(request(), store_, {});
  EXPECT_EQ(checked.night.exit_code, 4);
  EXPECT_THAT(checked.night.notes,
              ElementsAre(HasSubstr("21 runs of other programs: shown and judged no more"),
                          HasSubstr("the history has no run to judge")));
  EXPECT_THAT(store_.history().series, Not(IsEmpty())) << "they are shown";
}

TEST(CheckedNight, OfAnEmptyHistoryIsNoData) {
  const test::TemporaryFolder folder;
  track::TrackStore store = track::TrackStore::open("sqlite:" + (folder / "history.db").string());
  const campaign::CheckedNight checked = campaign::check_night(
      {.host = "bench1", .who = "ann@bench1", .now_utc = "2026-01-21T06:00:00Z"}, store, {});
  EXPECT_EQ(checked.night.exit_code, 4);
  EXPECT_THAT(checked_page(checked), HasSubstr("the history has no run to judge"));
  EXPECT_THAT(checked_page(checked), HasSubstr("verdict: no-data"));
}

}  // namespace
}  // namespace stepbench::report
