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

TEST(Acknowledgement, NeedsAnOpenAlertAReasonADateAndAChange) {
  const track::AlertLog log = regression();
  HistoryMaker over = maker_with_regression();
  over.tell({.what = "back", .alert_id = "A1"});
  const track::AlertLog fixed = track::fold_alerts(over.events);
  struct Row {
    const char* alert;
    track::Acceptance how;
    const char* why;
    const track::AlertLog* of;
  };
  const track::AlertLog none;
  for (const Row& row : std::vector<Row>{
           {"A2", {.reason = "x"}, "ALERT: no alert 'A2' (did you mean 'A1'?)", &log},
           {"A2", {.reason = "x"}, "there is no alert in this history", &none},
           {"A1", {.reason = "x"}, "A1 is fixed: there is nothing to accept", &fixed},
           {"A1", {.reason = ""}, "--reason: is empty", &log},
           {"A1", {.reason = "\t\n"}, "--reason: is empty", &log},
           {"A1", {.reason = "x", .until = "2026-01-31"}, "has passed; today is 2026-02-01", &log},
           {"A1", {.reason = "x", .until = "2026-02-30"}, "expected a date as 2026-01-31", &log},
           {"A1", {.reason = "x", .until = "2026-2-3"}, "expected a date as 2026-01-31", &log},
           {"A1", {.reason = "x", .until = "tomorrow"}, "expected a date as 2026-01-31", &log},
           {"A1", {.reason = "x", .expect = "three"}, "a change in percent as +3% or -0.5%", &log},
           {"A1", {.reason = "x", .expect = "-3%"}, "is the other way: A1 is +", &log}}) {
    EXPECT_THAT([&] { (void)track::acknowledge(*row.of, row.alert, row.how, kToday); },
                ThrowsMessage<ConfigError>(HasSubstr(row.why)));
  }
  for (const char* alert : {"A1", "a1", "1"}) {
    const track::TrackEvent event = track::acknowledge(
        log, alert, {.reason = "x", .until = "2026-02-01", .expect = "3%"}, kToday);
    EXPECT_EQ(event.alert_id, "A1");
    EXPECT_DOUBLE_EQ(number_of(event.details, "expect").value(), 0.03);
  }
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
