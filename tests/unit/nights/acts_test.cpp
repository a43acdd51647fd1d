// SPDX-License-Identifier: Apache-2.0
#include "harness/nights/acts.h"

#include "harness/base/error.h"
#include "tests/testing.h"

namespace stepbench::nights {
namespace {

constexpr const char* kToday = "2026-02-01";

std::vector<nights::TrackedRun> runs_of_january() {
  std::vector<nights::TrackedRun> runs;
  for (int day = 1; day <= 21; ++day) {
    const std::string date = (day < 10 ? "2026-01-0" : "2026-01-") + std::to_string(day);
    runs.push_back({.run_id = date + "-train",
                    .started_utc = date + "T02:00:00Z",
                    .experiment = "train",
                    .host = "box",
                    .folder = "results/" + date + "-train"});
  }
  return runs;
}

nights::TrackEvent reported(const nights::TrackedRun& run) {
  return event_of(SeriesEvent{
      .alert = "A1",
      .series = {.id = "s",
                 .change = {.size = .05, .good = "2026-01-20-train", .bad = "2026-01-21-train"}},
      .night = nights::night_of(run)});
}

class Log {
 public:
  Log() { tell(reported(runs.back())); }
  void tell(nights::TrackEvent event) { apply_event(log, event); }
  const Alert& alert() const { return log.alerts.front(); }

  std::vector<nights::TrackedRun> runs = runs_of_january();
  AlertLog log = {};
};

AlertLog regression() { return Log().log; }

TEST(ParsedChange, SignedPercentage_IsRead) {
  EXPECT_DOUBLE_EQ(parse_change("+3%").value(), 0.03);
  EXPECT_DOUBLE_EQ(parse_change("3 %").value(), 0.03);
  EXPECT_DOUBLE_EQ(parse_change("-0.5%").value(), -0.005);
  for (const char* bad : {"", "%", "+%", "3", "three%", "0%", "-100%", "1e9%", "nan%", "inf%",
                          "3%%", "+-3%", "3 percent"}) {
    EXPECT_EQ(parse_change(bad), std::nullopt) << bad;
  }
}

TEST(Acceptance, IncompleteOne_IsRejected) {
  const AlertLog log = regression();
  Log over;
  over.tell(event_of(AlertEvent::kFixed, "A1", nights::night_of(over.runs.back()), ""));
  const AlertLog& fixed = over.log;
  struct Row {
    Acceptance how;
    const char* why;
    const AlertLog* of;
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
           {{.reason = "x", .expect = "+3%"}, "is less than the change of A1: +5.1", &log}}) {
    EXPECT_THAT([&] { (void)accept_alert(row.of->alerts.front(), row.how, kToday); },
                ThrowsMessage<ConfigError>(HasSubstr(row.why)));
  }
  const nights::TrackEvent event = accept_alert(
      log.alerts.front(), {.reason = "x", .until = "2026-02-01", .expect = "8%"}, kToday);
  EXPECT_EQ(event.alert_id, "A1");
  EXPECT_EQ(event.what, "accepted");
  EXPECT_DOUBLE_EQ(number_of(event.details, "expect").value(), 0.08);
}

TEST(Acceptance, ShareOfStep_UsesThatShare) {
  Alert alert{.id = "A1", .series = {{.id = "s", .change = {.size = .5}, .as_share = true}}};
  EXPECT_DOUBLE_EQ(
      number_of(accept_alert(alert, {.reason = "x", .expect = "+55%"}, kToday).details, "expect")
          .value(),
      .55);
  alert.series.front().as_share = false;
  EXPECT_THAT([&] { (void)accept_alert(alert, {.reason = "x", .expect = "+55%"}, kToday); },
              ThrowsMessage<ConfigError>(HasSubstr("the change of A1: +64.9")));
}

TEST(Acceptance, Reopened_HasNoAssignee) {
  Log log;
  log.tell(accept_alert(log.alert(), {.reason = "x", .until = "2026-02-01"}, kToday));
  log.tell(assign_alert(log.alert(), "anna", ""));
  EXPECT_EQ(log.alert().state, AlertState::kAccepted);
  EXPECT_EQ(log.alert().assignee, "anna");
  for (nights::TrackEvent& event : reopen_alert(log.alert(), "", "not merged"))
    log.tell(std::move(event));
  const Alert open = log.alert();
  EXPECT_THAT(reopen_alert(open, "ben", ""), SizeIs(1)) << "it is ben's";
  EXPECT_EQ(open.state, AlertState::kOpen);
  EXPECT_EQ(open.until, "");
  EXPECT_EQ(open.assignee, "");
  EXPECT_EQ(open.note, "not merged");
  EXPECT_THAT([&] { (void)reopen_alert(open, "", ""); },
              ThrowsMessage<ConfigError>(HasSubstr("--as: A1 is open and unassigned")));
}

TEST(AlertMeant, AnyCase_FindsTheId) {
  const AlertLog log = regression();
  for (const char* id : {"A1", "a1", "1"}) EXPECT_EQ(resolve_alert(id, log).id, "A1");
  EXPECT_THAT([&] { (void)resolve_alert("A2", log); },
              ThrowsMessage<ConfigError>(HasSubstr("ALERT: no alert 'A2' (did you mean 'A1'?)")));
  EXPECT_THAT([] { (void)resolve_alert("A2", {}); },
              ThrowsMessage<ConfigError>(HasSubstr("there is no alert in this history")));
  for (const char* id : {"A1", "a17"}) EXPECT_TRUE(is_alert_id(id)) << id;
  for (const char* id : {"", "A", "17", "A1b", "ab12"}) EXPECT_FALSE(is_alert_id(id)) << id;
}

TEST(Baseline, AlertsUpToItsRun_AreClosed) {
  Log log;
  const auto at = [&](std::size_t night) {
    return set_baseline(log.runs[night], log.log, log.runs, "release");
  };
  EXPECT_THAT(at(20), SizeIs(2));
  EXPECT_EQ(at(20)[1].alert_id, "A1");
  EXPECT_THAT(at(19), SizeIs(1)) << "it began later";
  log.tell(at(20)[1]);
  EXPECT_EQ(log.alert().state, AlertState::kClosed);
  EXPECT_THAT([&] { (void)set_baseline(log.runs[20], {}, log.runs, ""); },
              ThrowsMessage<ConfigError>(HasSubstr("TEXT: is empty")));
}

TEST(IgnoredSeries, LastDay_EndsTheIgnoring) {
  const nights::TrackedSeries series{.id = "s"};
  std::vector<nights::TrackEvent> events = {ignore_series(series, "x", "2026-02-03", kToday)};
  EXPECT_THAT(ignored_series(events, "2026-02-03"), ElementsAre("s"));
  EXPECT_THAT(ignored_series(events, "2026-02-04"), IsEmpty());
  events.push_back(watch_series(series, ""));
  EXPECT_THAT(ignored_series(events, "2026-02-03"), IsEmpty());
}

TEST(RunMeant, IdPrefixOrFolder_FindsTheRun) {
  const std::vector<nights::TrackedRun> runs = runs_of_january();
  EXPECT_EQ(resolve_run("2026-01-05-train", runs, "RUN").run_id, "2026-01-05-train");
  EXPECT_EQ(resolve_run("2026-01-05", runs, "RUN").run_id, "2026-01-05-train");
  EXPECT_EQ(resolve_run("results/2026-01-05-train/", runs, "RUN").run_id, "2026-01-05-train");
  EXPECT_THAT([&] { (void)resolve_run("2026-01", runs, "RUN"); },
              ThrowsMessage<ConfigError>(HasSubstr("is the beginning of 21 runs")));
  EXPECT_THAT([&] { (void)resolve_run("2026-01-05-trian", runs, "--night"); },
              ThrowsMessage<ConfigError>(
                  HasSubstr("--night: the history has no run '2026-01-05-trian' (did you mean "
                            "'2026-01-05-train'?)")));
}

}  // namespace
}  // namespace stepbench::nights
