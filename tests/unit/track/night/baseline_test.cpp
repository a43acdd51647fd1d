// SPDX-License-Identifier: Apache-2.0
#include "harness/track/baseline.h"

#include <gmock/gmock.h>

#include <string>

#include "harness/base/error.h"
#include "tests/unit/track/night/history_maker.h"

namespace stepbench::report {
namespace {

using test::HistoryMaker;
using ::testing::HasSubstr;
using ::testing::SizeIs;
using ::testing::ThrowsMessage;

constexpr const char* kToday = "2026-02-01";

HistoryMaker maker_with_regression() {
  HistoryMaker maker;
  test::Nightly values = HistoryMaker::steady(21);
  values[20] = *values[20] * 1.05;
  maker.add_series("0", values);
  maker.measure(maker.judge(20), track::AlertState::kRegression);
  return maker;
}

track::AlertLog regression() { return track::fold_alerts(maker_with_regression().events); }

TEST(ParsedChange, IsAPercentageWithItsSign) {
  EXPECT_DOUBLE_EQ(track::parse_change("+3%").value(), 0.03);
  EXPECT_DOUBLE_EQ(track::parse_change("3 %").value(), 0.03);
  EXPECT_DOUBLE_EQ(track::parse_change("-0.5%").value(), -0.005);
  for (const char* bad : {"", "%", "+%", "3", "three%", "0%", "-100%", "1e9%", "nan%", "inf%",
                          "3%%", "+-3%", "3 percent"}) {
    EXPECT_EQ(track::parse_change(bad), std::nullopt) << bad;
  }
}

TEST(Acknowledgement, NeedsAnAlertThatIsThere) {
  EXPECT_THAT([] { (void)track::acknowledge(regression(), "A2", {.reason = "x"}, kToday); },
              ThrowsMessage<ConfigError>(HasSubstr("ALERT: no alert 'A2' (did you mean 'A1'?)")));
  EXPECT_THAT([] { (void)track::acknowledge({}, "A2", {.reason = "x"}, kToday); },
              ThrowsMessage<ConfigError>(HasSubstr("there is no alert in this history")));
  EXPECT_EQ(track::acknowledge(regression(), "a1", {.reason = "x"}, kToday).alert_id, "A1");
  EXPECT_EQ(track::acknowledge(regression(), "1", {.reason = "x"}, kToday).alert_id, "A1");
}

TEST(Acknowledgement, NeedsAReason) {
  for (const char* reason : {"", " ", "\t\n"}) {
    EXPECT_THAT([&] { (void)track::acknowledge(regression(), "A1", {.reason = reason}, kToday); },
                ThrowsMessage<ConfigError>(HasSubstr("--reason: is empty")));
  }
}

TEST(Acknowledgement, NeedsADateThatIsNotOver) {
  const auto until = [](const std::string& date) {
    return [date] {
      (void)track::acknowledge(regression(), "A1", {.reason = "x", .until = date}, kToday);
    };
  };
  EXPECT_THAT(until("2026-01-31"),
              ThrowsMessage<ConfigError>(HasSubstr("2026-01-31 has passed; today is 2026-02-01")));
  for (const char* bad : {"2026-02-30", "2026-2-3", "tomorrow", "03/01/2026", "2026-13-01"}) {
    EXPECT_THAT(until(bad), ThrowsMessage<ConfigError>(HasSubstr("expected a date as 2026-01-31")))
        << bad;
  }
  EXPECT_NO_THROW(until("2026-02-01")()) << "today is the last day";
}

TEST(Acknowledgement, NeedsAChangeInPercentThatGoesTheSameWay) {
  const auto expect = [](const std::string& change) {
    return [change] {
      return track::acknowledge(regression(), "A1", {.reason = "x", .expect = change}, kToday);
    };
  };
  EXPECT_THAT(expect("three"), ThrowsMessage<ConfigError>(HasSubstr(
                                   "expected a change in percent as +3% or -0.5%, found 'three'")));
  EXPECT_THAT(expect("-3%"), ThrowsMessage<ConfigError>(HasSubstr("is the other way: A1 is +")));
  EXPECT_DOUBLE_EQ(number_of(expect("3%")().details, "expect").value(), 0.03);
}

TEST(Acknowledgement, OfAnAlertThatIsOverIsRefused) {
  HistoryMaker maker = maker_with_regression();
  maker.tell({.what = "back", .alert_id = "A1"});
  EXPECT_THAT(
      [&] {
        (void)track::acknowledge(track::fold_alerts(maker.events), "A1", {.reason = "x"}, kToday);
      },
      ThrowsMessage<ConfigError>(HasSubstr("A1 is fixed: there is nothing to accept")));
}

TEST(Baseline, FixesTheAlertsThatBeganUpToItsRun) {
  const HistoryMaker maker = maker_with_regression();
  const track::AlertLog log = track::fold_alerts(maker.events);
  const auto& runs = maker.history.runs;
  const auto at = [&](std::size_t night) {
    return track::set_baseline(track::BaselineMove::kSet, runs[night], log, maker.events, runs,
                               "release");
  };
  EXPECT_THAT(at(20), SizeIs(2));
  EXPECT_EQ(at(20)[1].alert_id, "A1");
  EXPECT_THAT(at(19), SizeIs(1)) << "it began later";
}

TEST(Baseline, IsSetOnceAndUpdatedAfterThat) {
  HistoryMaker maker = maker_with_regression();
  const auto move = [&](track::BaselineMove how, std::size_t night) {
    const track::AlertLog log = track::fold_alerts(maker.events);
    for (track::TrackEvent& event : track::set_baseline(
             how, maker.history.runs[night], log, maker.events, maker.history.runs, "release")) {
      maker.tell(std::move(event));
    }
  };
  EXPECT_THAT([&] { move(track::BaselineMove::kUpdate, 10); },
              ThrowsMessage<ConfigError>(HasSubstr("train has no baseline yet")));
  move(track::BaselineMove::kSet, 10);
  EXPECT_THAT([&] { move(track::BaselineMove::kSet, 11); },
              ThrowsMessage<ConfigError>(HasSubstr("train has a baseline already, 2026-01-11")));
  move(track::BaselineMove::kUpdate, 20);
  EXPECT_EQ(maker.alert("A1").state, track::AlertState::kFixed);
}

TEST(RunMeant, IsItsIdTheBeginOfItOrItsFolder) {
  const HistoryMaker maker = maker_with_regression();
  const auto& runs = maker.history.runs;
  EXPECT_EQ(track::resolve_run("2026-01-05-train", runs, "RUN").run_id, "2026-01-05-train");
  EXPECT_EQ(track::resolve_run("2026-01-05", runs, "RUN").run_id, "2026-01-05-train");
  EXPECT_EQ(track::resolve_run("results/2026-01-05-train/", runs, "RUN").run_id,
            "2026-01-05-train");
  EXPECT_THAT([&] { (void)track::resolve_run("2026-01", runs, "RUN"); },
              ThrowsMessage<ConfigError>(HasSubstr("is the beginning of 21 runs")));
  EXPECT_THAT([&] { (void)track::resolve_run("2026-01-05-trian", runs, "--night"); },
              ThrowsMessage<ConfigError>(
                  HasSubstr("--night: the history has no run '2026-01-05-trian' (did you mean "
                            "'2026-01-05-train'?)")));
}

}  // namespace
}  // namespace stepbench::report
