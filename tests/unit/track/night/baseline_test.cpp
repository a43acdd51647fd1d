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

TEST(Acceptance, NeedsAnOpenAlertAReasonADateAndAChange) {
  const track::AlertLog log = regression();
  HistoryMaker over = maker_with_regression();
  over.tell({.what = "back", .alert_id = "A1"});
  const track::AlertLog fixed = track::fold_alerts(over.events);
  struct Row {
    track::Acceptance how;
    const char* why;
    const track::AlertLog* of;
  };
  for (const Row& row : std::vector<Row>{
           {{.reason = "x"}, "--as: A1 is fixed: there is nothing to accept", &fixed},
           {{.reason = ""}, "TEXT: is empty", &log},
           {{.reason = "\t\n"}, "TEXT: is empty", &log},
           {{.reason = "x", .until = "2026-01-31"}, "has passed; today is 2026-02-01", &log},
           {{.reason = "x", .until = "2026-02-30"}, "expected a date as 2026-01-31", &log},
           {{.reason = "x", .until = "2026-2-3"}, "expected a date as 2026-01-31", &log},
           {{.reason = "x", .until = "tomorrow"}, "expected a date as 2026-01-31", &log},
           {{.reason = "x", .expect = "three"}, "a change in percent as +3% or -0.5%", &log},
           {{.reason = "x", .expect = "-3%"}, "is the other way: A1 is +", &log}}) {
    EXPECT_THAT([&] { (void)track::accept_alert(row.of->alerts.front(), row.how, kToday); },
                ThrowsMessage<ConfigError>(HasSubstr(row.why)));
  }
  const track::TrackEvent event = track::accept_alert(
      log.alerts.front(), {.reason = "x", .until = "2026-02-01", .expect = "3%"}, kToday);
  EXPECT_EQ(event.alert_id, "A1");
  EXPECT_EQ(event.what, "acknowledged");
  EXPECT_DOUBLE_EQ(number_of(event.details, "expect").value(), 0.03);
}

TEST(Acceptance, TakenBack_IsWhatTheAlertWasBeforeAndNobodys) {
  HistoryMaker maker = maker_with_regression();
  maker.tell(
      track::accept_alert(maker.alert("A1"), {.reason = "x", .until = "2026-02-01"}, kToday));
  maker.tell(track::assign_alert(maker.alert("A1"), "anna", ""));
  EXPECT_EQ(maker.alert("A1").state, track::AlertState::kAcknowledged);
  EXPECT_EQ(maker.alert("A1").assignee, "anna");
  for (track::TrackEvent& event : track::reopen_alert(maker.alert("A1"), "", "not merged")) {
    maker.tell(std::move(event));
  }
  const track::Alert open = maker.alert("A1");
  EXPECT_THAT(track::reopen_alert(open, "ben", ""), SizeIs(1)) << "it is ben's";
  EXPECT_EQ(open.state, track::AlertState::kRegression);
  EXPECT_EQ(open.until, "");
  EXPECT_EQ(open.assignee, "");
  EXPECT_EQ(open.note, "not merged");
  EXPECT_THAT([&] { (void)track::reopen_alert(open, "", ""); },
              ThrowsMessage<ConfigError>(HasSubstr("--as: A1 is regression and nobody's")));
}

TEST(AlertMeant, IsItsIdWhateverItsCase) {
  const track::AlertLog log = regression();
  for (const char* id : {"A1", "a1", "1"}) EXPECT_EQ(track::resolve_alert(id, log).id, "A1");
  EXPECT_THAT([&] { (void)track::resolve_alert("A2", log); },
              ThrowsMessage<ConfigError>(HasSubstr("ALERT: no alert 'A2' (did you mean 'A1'?)")));
  EXPECT_THAT([] { (void)track::resolve_alert("A2", {}); },
              ThrowsMessage<ConfigError>(HasSubstr("there is no alert in this history")));
  for (const char* id : {"A1", "a17"}) EXPECT_TRUE(track::is_alert_id(id)) << id;
  for (const char* id : {"", "A", "17", "A1b", "ab12"}) EXPECT_FALSE(track::is_alert_id(id)) << id;
}

TEST(Baseline, FixesTheAlertsThatBeganUpToItsRun) {
  const HistoryMaker maker = maker_with_regression();
  const track::AlertLog log = track::fold_alerts(maker.events);
  const auto& runs = maker.history.runs;
  const auto at = [&](std::size_t night) {
    return track::set_baseline(runs[night], log, runs, "release");
  };
  EXPECT_THAT(at(20), SizeIs(2));
  EXPECT_EQ(at(20)[1].alert_id, "A1");
  EXPECT_THAT(at(19), SizeIs(1)) << "it began later";
}

TEST(Baseline, TakesThePlaceOfTheOneBefore) {
  HistoryMaker maker = maker_with_regression();
  const auto& runs = maker.history.runs;
  const auto move = [&](std::size_t night) {
    const track::AlertLog log = track::fold_alerts(maker.events);
    for (track::TrackEvent& event : track::set_baseline(runs[night], log, runs, "release")) {
      maker.tell(std::move(event));
    }
  };
  EXPECT_EQ(track::baseline_of(runs[0], maker.events), "");
  move(10);
  EXPECT_EQ(track::baseline_of(runs[0], maker.events), "2026-01-11-train");
  move(20);
  EXPECT_EQ(track::baseline_of(runs[0], maker.events), "2026-01-21-train");
  EXPECT_EQ(maker.alert("A1").state, track::AlertState::kFixed);
  EXPECT_THAT([&] { (void)track::set_baseline(runs[20], {}, runs, ""); },
              ThrowsMessage<ConfigError>(HasSubstr("TEXT: is empty")));
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
