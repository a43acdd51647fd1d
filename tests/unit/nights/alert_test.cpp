// SPDX-License-Identifier: Apache-2.0
#include "harness/nights/internal/alert.h"

#include "tests/testing.h"

namespace stepbench::nights {
namespace {

const nights::EventNight kNight{
    .run = "n1", .utc = "2026-01-01T02:00:00Z", .host = "box", .experiment = "train"};

nights::TrackEvent reported(const std::string& series, const std::string& good,
                            const std::string& bad) {
  return event_of(
      SeriesEvent{.alert = "A7",
                  .series = {.id = series, .change = {.size = .05, .good = good, .bad = bad}},
                  .night = kNight});
}

AlertLog log_of(std::vector<nights::TrackEvent> events) {
  AlertLog log;
  for (nights::TrackEvent& event : events) apply_event(log, event);
  return log;
}

TEST(Alert, SeveralSeries_ShareTheBuildRange) {
  const AlertLog log = log_of({reported("a", "n1", "n5"), reported("b", "n3", "n7")});
  const Alert& alert = *log.find("A7");
  EXPECT_THAT(alert.series, SizeIs(2));
  EXPECT_EQ(alert.last_good, "n3");
  EXPECT_EQ(alert.first_bad, "n5");
  EXPECT_EQ(alert.state, AlertState::kOpen);
  EXPECT_EQ(alert.experiment, "train");
  EXPECT_EQ(next_alert_id(log), "A8");
}

TEST(Alert, Grown_HasTheWholeSize) {
  const AlertLog log = log_of({reported("a", "n1", "n2"),
                               event_of(SeriesEvent{.what = AlertEvent::kGrew,
                                                    .alert = "A7",
                                                    .series = {.id = "a", .change = {.size = .02}},
                                                    .night = kNight})});
  EXPECT_DOUBLE_EQ(log.find("A7")->find("a")->change.size, .07);
}

TEST(Alert, FixedSeries_IsNotOpen) {
  const AlertLog log = log_of({reported("a", "n1", "n2"), reported("b", "n1", "n2"),
                               event_of(SeriesEvent{.what = AlertEvent::kRecovered,
                                                    .alert = "A7",
                                                    .series = {.id = "a"},
                                                    .night = kNight})});
  EXPECT_EQ(log.of_series("a", "box", "train"), nullptr);
  EXPECT_NE(log.of_series("b", "box", "train"), nullptr);
  EXPECT_EQ(log.of_series("b", "elsewhere", "train"), nullptr);
  EXPECT_EQ(log.of_series("b", "box", "train@dev"), nullptr);
}

TEST(Alert, Event_RecordsBothStates) {
  AlertLog log;
  nights::TrackEvent first = reported("a", "n1", "n2");
  apply_event(log, first);
  EXPECT_EQ(first.from_state, "");
  EXPECT_EQ(first.to_state, "open");
  nights::TrackEvent fixed = event_of(AlertEvent::kFixed, "A7", kNight, "gone");
  apply_event(log, fixed);
  EXPECT_EQ(fixed.from_state, "open");
  EXPECT_EQ(fixed.to_state, "fixed");
}

// States written by versions before 3 of the history.
TEST(OldAlert, FormerState_IsReadAsTheCurrentOne) {
  struct Row {
    const char* state;
    AlertState now;
    const char* why;
  };
  for (const Row& row :
       std::vector<Row>{{"regression", AlertState::kOpen, "as told"},
                        {"acknowledged", AlertState::kAccepted, "as told"},
                        {"fixed", AlertState::kFixed, "as told"},
                        {"suspect", AlertState::kClosed, "suspicions"},
                        {"reproduced", AlertState::kClosed, "not told"},
                        {"doubtful", AlertState::kClosed, "not told"},
                        {"unmeasured", AlertState::kClosed, "nothing could"},
                        {"not-reproduced", AlertState::kClosed, "not shown"},
                        {"improvement", AlertState::kClosed, "no longer an alert"}}) {
    nights::TrackEvent event{.what = "fired",
                             .alert_id = "A1",
                             .to_state = row.state,
                             .details = {{"series", std::string("a")}, {"change", .05}}};
    nights::set_night(event, kNight);
    nights::TrackEvent note{.what = "noted", .alert_id = "A1", .reason = "as told"};
    const std::vector<nights::TrackEvent> events =
        row.now == AlertState::kClosed ? std::vector{event} : std::vector{event, note};
    const AlertLog log = fold_alerts(events);
    EXPECT_EQ(log.find("A1")->state, row.now) << row.state;
    EXPECT_THAT(log.find("A1")->note, HasSubstr(row.why));
  }
}

}  // namespace
}  // namespace stepbench::nights
