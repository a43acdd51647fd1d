// SPDX-License-Identifier: Apache-2.0
#include "harness/track/alert.h"

#include <gmock/gmock.h>

#include <map>
#include <string>
#include <utility>
#include <vector>

namespace stepbench::report {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

// The whole table once more, as people would say it: by event, what comes after a state.
// Events: fired, reproduced, confirmed, improved, not-reproduced, environment-change, invalid,
// acknowledged, expired, grew, back, baseline, doubted, fixed, unmeasured.
const std::vector<std::pair<const char*, const char*>> kExpected = {
    {"suspect", "= p R I n e v a . . n f d . u"},
    {"not-reproduced", "s p R I . . . . . . . . . . ."},
    {"reproduced", "= = R I n e = a . . f f . . u"},
    {"regression", "= = = . f = = a . . f f . f ."},
    {"improvement", ". . . = n . . a . . f f . . ."},
    {"environment-change", "s p R I n . . a . . f f . . ."},
    {"acknowledged", ". . . . . . . = b s f f . . ."},
    {"fixed", "s . . . . . . . . . . . . . ."},
    {"invalid", "= p R I n e = a . . n f d . u"},
    {"doubtful", "= p R I n e = a . . . f . . u"},
    {"unmeasured", ". . . . . . . . . . . . . . ."},
};
// "." cannot happen, "=" stays, "b" is the state of before, here a regression.
const std::map<char, std::string> kLetters = {{'s', "suspect"},
                                              {'p', "reproduced"},
                                              {'R', "regression"},
                                              {'I', "improvement"},
                                              {'e', "environment-change"},
                                              {'v', "invalid"},
                                              {'a', "acknowledged"},
                                              {'n', "not-reproduced"},
                                              {'d', "doubtful"},
                                              {'f', "fixed"},
                                              {'u', "unmeasured"},
                                              {'b', "regression"},
                                              {'.', "."}};

TEST(AlertTable, TellsOnlyWhatWasMeasuredOrAskedFor) {
  std::vector<std::string> told;
  for (const track::Transition& each : track::life_cycle()) {
    EXPECT_EQ(track::transition(each.state, each.event), &each) << name_of(each.event);
    EXPECT_FALSE(each.guard.empty()) << name_of(each.event);
    if (!each.told) continue;
    told.push_back(std::string(name_of(*each.state)) + " + " + std::string(name_of(each.event)));
  }
  EXPECT_THAT(told,
              ElementsAre("suspect + confirmed", "doubtful + confirmed", "reproduced + confirmed",
                          "invalid + confirmed", "acknowledged + expired"));
}

TEST(AlertTable, FromEveryOpenState_AMeasurementOrAPersonEndsIt) {
  std::vector<std::string_view> open;
  for (std::size_t i = 0; i < track::kAlertStates; ++i) {
    const auto state = static_cast<track::AlertState>(i);
    if (!track::is_open(state)) continue;
    open.push_back(name_of(state));
    EXPECT_TRUE(track::transition(state, track::AlertEvent::kAcknowledged)) << name_of(state);
    const track::AlertEvent ends =
        track::is_pending(state) ? track::AlertEvent::kNotReproduced : track::AlertEvent::kFixed;
    EXPECT_TRUE(track::transition(state, ends)) << name_of(state);
    EXPECT_EQ(track::transition(state, track::AlertEvent::kUnmeasured) != nullptr,
              track::is_pending(state))
        << "no suspicion waits for ever, and no regression expires";
  }
  EXPECT_THAT(open, ElementsAre("suspect", "reproduced", "regression", "invalid", "doubtful"));
}

TEST(AlertTable, SaysForEachStateAndEventWhatComesNext) {
  ASSERT_EQ(kExpected.size(), track::kAlertStates);
  for (const auto& [state_name, after] : kExpected) {
    const track::AlertState state = *one_of<track::AlertState>(state_name);
    for (std::size_t i = 0; i < track::kAlertEvents; ++i) {
      const auto event = static_cast<track::AlertEvent>(i);
      const auto next = track::state_after(state, event, track::AlertState::kRegression);
      const char letter = after[2 * i];
      EXPECT_EQ(next ? std::string(name_of(*next)) : std::string("."),
                letter == '=' ? state_name : kLetters.at(letter))
          << state_name << " + " << name_of(event);
    }
  }
}

TEST(AlertTable, OnlyAFiredScreenOpensAnAlert) {
  for (std::size_t i = 0; i < track::kAlertEvents; ++i) {
    const auto event = static_cast<track::AlertEvent>(i);
    const auto next = track::state_after(std::nullopt, event, track::AlertState::kSuspect);
    EXPECT_EQ(next.has_value(), event == track::AlertEvent::kFired) << name_of(event);
  }
}

TEST(AlertTable, NamesOfStatesAndEventsReadBack) {
  for (std::size_t i = 0; i < track::kAlertStates; ++i) {
    EXPECT_EQ(one_of<track::AlertState>(name_of(static_cast<track::AlertState>(i))),
              static_cast<track::AlertState>(i));
  }
  for (std::size_t i = 0; i < track::kAlertEvents; ++i) {
    EXPECT_EQ(one_of<track::AlertEvent>(name_of(static_cast<track::AlertEvent>(i))),
              static_cast<track::AlertEvent>(i));
  }
  EXPECT_EQ(one_of<track::AlertState>("Suspect"), std::nullopt);
  EXPECT_EQ(one_of<track::AlertEvent>(""), std::nullopt);
}

track::TrackEvent alert_event(const std::string& what, const std::string& alert,
                              Fields details = {}) {
  return {.what = what, .alert_id = alert, .details = std::move(details)};
}

track::TrackEvent fired(const std::string& alert, const std::string& series,
                        const std::string& night, double change = 0.03) {
  return alert_event("fired", alert,
                     {{"series", series},
                      {"experiment", std::string("train")},
                      {"host", std::string("box")},
                      {"worse", change > 0},
                      {"night", night},
                      {"night_utc", std::string("2026-02-03T02:00:00Z")},
                      {"first_bad", night},
                      {"last_good", std::string("run-1")},
                      {"usual", 100.0},
                      {"value", 100 * (1 + change)},
                      {"change", change},
                      {"score", 4.5}});
}

TEST(Alerts, FollowFromTheirEvents) {
  const std::vector<track::TrackEvent> events = {
      fired("A1", "s1", "run-2"),
      fired("A1", "s2", "run-2", 0.05),
      fired("A2", "s3", "run-2", -0.1),
      alert_event("measured", "A1",
                  {{"series", std::string("s1")}, {"reproduced", true}, {"change", 0.031}}),
      alert_event("reproduced", "A1"),
      alert_event("confirmed", "A1")};
  const track::AlertLog log = track::fold_alerts(events);
  ASSERT_EQ(log.alerts.size(), 2U);
  const track::Alert& first = log.alerts[0];
  EXPECT_EQ(first.id, "A1");
  EXPECT_EQ(first.state, track::AlertState::kRegression);
  EXPECT_TRUE(first.worse);
  EXPECT_EQ(first.confirmations, 1);
  EXPECT_EQ(first.opened_run, "run-2");
  EXPECT_EQ(first.last_good, "run-1");
  ASSERT_EQ(first.series.size(), 2U);
  EXPECT_DOUBLE_EQ(first.find("s2")->change, 0.05);
  ASSERT_EQ(first.find("s1")->measured.size(), 1U);
  EXPECT_TRUE(first.find("s1")->measured[0].reproduced);
  EXPECT_FALSE(log.alerts[1].worse);
  EXPECT_EQ(log.find("A9"), nullptr);
  EXPECT_THAT(log.left_out, IsEmpty());
}

TEST(Alerts, StandByTheirNumberAndNotByTheirName) {
  std::vector<track::TrackEvent> events;
  for (int i = 1; i <= 11; ++i) events.push_back(fired("A" + std::to_string(i), "s", "run"));
  const track::AlertLog log = track::fold_alerts(events);
  EXPECT_EQ(log.alerts.at(1).id, "A2");
  EXPECT_EQ(log.alerts.at(10).id, "A11");
  EXPECT_EQ(track::next_alert_id(events), "A12");
  EXPECT_EQ(track::next_alert_id({}), "A1");
}

TEST(Alerts, ComeBackInTheStateTheyHadWhenAnAcknowledgementExpires) {
  std::vector<track::TrackEvent> events = {fired("A1", "s1", "run-2"),
                                           alert_event("confirmed", "A1")};
  events.push_back(
      alert_event("acknowledged", "A1", {{"until", std::string("2026-03-01")}, {"expect", 0.05}}));
  track::Alert alert = track::fold_alerts(events).alerts.at(0);
  EXPECT_EQ(alert.state, track::AlertState::kAcknowledged);
  EXPECT_EQ(alert.until, "2026-03-01");
  EXPECT_DOUBLE_EQ(alert.expect.value_or(0), 0.05);
  // A second acknowledgement renews the date and does not hide what the state was.
  events.push_back(alert_event("acknowledged", "A1", {{"until", std::string("2026-04-01")}}));
  events.push_back(alert_event("expired", "A1"));
  alert = track::fold_alerts(events).alerts.at(0);
  EXPECT_EQ(alert.state, track::AlertState::kRegression);
  EXPECT_EQ(alert.until, "");
}

TEST(Alerts, ThatGrewOrCameBack_MustBeMeasuredAgain) {
  std::vector<track::TrackEvent> events = {fired("A1", "s1", "run-2"),
                                           alert_event("confirmed", "A1")};
  std::vector<track::TrackEvent> grew = events;
  grew.push_back(alert_event("acknowledged", "A1"));
  grew.push_back(alert_event("grew", "A1"));
  events.push_back(alert_event("back", "A1"));
  events.push_back(fired("A1", "s1", "run-5"));
  for (const auto& each : {grew, events}) {
    const track::Alert alert = track::fold_alerts(each).alerts.at(0);
    EXPECT_EQ(alert.state, track::AlertState::kSuspect);
    EXPECT_EQ(alert.confirmations, 0);
    EXPECT_EQ(alert.series.size(), 1U);
  }
  const track::Alert back = track::fold_alerts(events).alerts.at(0);
  EXPECT_EQ(back.opened_run, "run-5");
  EXPECT_EQ(back.first_bad, "run-5");
}

TEST(Alerts, LeaveOutWhatCannotHaveHappenedAndSaySo) {
  const track::AlertLog log = track::fold_alerts(std::vector{
      alert_event("confirmed", "A1"), fired("A2", "s1", "run-2"), alert_event("expired", "A2"),
      alert_event("danced", "A2"), fired("B7", "s1", "run-2"), fired("A1x", "s1", "run-2")});
  ASSERT_EQ(log.alerts.size(), 1U);
  EXPECT_EQ(log.alerts[0].state, track::AlertState::kSuspect);
  EXPECT_THAT(log.left_out,
              ElementsAre(HasSubstr("alert A1: 'confirmed' cannot happen before it is opened"),
                          HasSubstr("'expired' cannot happen when it is suspect"),
                          HasSubstr("'danced'"), HasSubstr("B7"), HasSubstr("A1x")));
}

}  // namespace
}  // namespace stepbench::report
