// SPDX-License-Identifier: Apache-2.0
// Which nights a person's words mean, and what becomes of the answer.
#include "harness/campaign/confirm_by_hand.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "harness/base/error.h"

namespace stepbench::campaign {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;
using ::testing::ThrowsMessage;

track::TrackedRun run(const std::string& day, const std::string& build) {
  return {.run_id = "202602" + day + "-010000-train",
          .started_utc = "2026-02-" + day + "T01:00:00Z",
          .build_id = build};
}

// Two series over four nights with builds a, b, b and c; the third checkout was dirty.
track::History four_nights() {
  track::History history;
  history.runs = {run("01", "a"), run("02", "b"), run("03", "b"), run("04", "c")};
  history.runs[2].git_dirty = true;
  for (const char* id : {"s1", "s2"}) {
    track::SeriesHistory series{.series = {.id = id, .case_id = "case", .metric = "step_ns"}};
    series.series.direction = Direction::kLowerIsBetter;
    for (std::size_t i = 0; i < history.runs.size(); ++i) {
      series.points.push_back({.run = i, .value = 100.0 + static_cast<double>(i), .steps = 50});
    }
    history.series.push_back(series);
  }
  return history;
}

track::AlertLog open_alert_of(const std::string& series, const std::string& last_good, bool worse) {
  track::TrackEvent fired{.at_utc = "2026-02-04T02:00:00Z", .what = "fired", .alert_id = "A1"};
  fired.details = {{"series", series},
                   {"worse", worse},
                   {"change", worse ? 0.05 : -0.05},
                   {"night", std::string("20260204-010000-train")},
                   {"last_good", last_good}};
  return track::fold_alerts(std::vector<track::TrackEvent>{fired});
}

std::vector<ConfirmRequest> requests(const HandRequest& request,
                                     const track::AlertLog& alerts = {}) {
  return requests_by_hand(request, four_nights(), alerts);
}

TEST(ConfirmByHand, TakesTheNewestNightAndTheNewestCleanOneBeforeWithAnotherBuild) {
  const auto made = requests({.series = {"s1", "s2"}});
  ASSERT_THAT(made, SizeIs(1));
  EXPECT_EQ(made[0].tonight.run_id, "20260204-010000-train");
  EXPECT_EQ(made[0].good.value().run_id, "20260202-010000-train") << "the third was dirty";
  ASSERT_THAT(made[0].suspects, SizeIs(2));
  EXPECT_TRUE(made[0].suspects[0].higher);
  EXPECT_EQ(made[0].suspects[0].steps, 50);
}

TEST(ConfirmByHand, TakesWhatAnAlertOrTheWordsSay) {
  const auto alerted =
      requests({.series = {"s1"}}, open_alert_of("s1", "20260201-010000-train", false));
  ASSERT_THAT(alerted, SizeIs(1));
  EXPECT_EQ(alerted[0].good.value().run_id, "20260201-010000-train");
  EXPECT_FALSE(alerted[0].suspects[0].higher);
  const auto made = requests({.series = {"s1"}, .night = "20260203", .good = "20260201"});
  EXPECT_EQ(made.at(0).tonight.run_id, "20260203-010000-train");
  EXPECT_EQ(made.at(0).good.value().run_id, "20260201-010000-train");
  EXPECT_FALSE(requests({.series = {"s1"}, .night = "20260201"}).at(0).good.has_value())
      << "no earlier build";
  const auto refuses = [](const HandRequest& request, const std::string& why) {
    EXPECT_THAT([&] { (void)requests(request); }, ThrowsMessage<ConfigError>(HasSubstr(why)));
  };
  refuses({.series = {"s1"}, .night = "20260209"}, "--night: the history has no run '20260209'");
  refuses({.series = {"s1"}, .night = "202602"}, "is the beginning of 4 runs");
  refuses({.series = {"s1"}, .good = "no/such/worker"}, "there is no program no/such/worker");
  refuses({.series = {"s3"}}, "s3 has no value");
}

ConfirmedNight measured(track::AlertState state) {
  ConfirmedNight night;
  night.series = {{.suspect = {.series = "s1"}, .state = state}};
  if (state == track::AlertState::kRegression) {
    night.series[0].answers = {{.judged = true,
                                .reproduced = true,
                                .change = 0.05,
                                .low = 0.047,
                                .high = 0.053,
                                .p = 1e-6,
                                .pairs = 20}};
    night.series[0].folders = {"results/one"};
    night.series[0].builds = {"good tonight"};
  }
  return night;
}

TEST(ConfirmByHand, RecordsTheAnswerWithAnOpenAlertAndNothingElse) {
  const track::TrackedRun tonight = run("04", "c");
  const track::AlertLog alerts = open_alert_of("s1", "20260201-010000-train", true);
  const auto events = events_by_hand(measured(track::AlertState::kRegression), tonight,
                                     "20260201-010000-train", alerts);
  ASSERT_FALSE(events.empty());
  EXPECT_EQ(events.back().alert_id, "A1");
  EXPECT_EQ(events.back().what, "confirmed");
  EXPECT_THAT(events_by_hand(measured(track::AlertState::kRegression), tonight, "", {}), IsEmpty());
  EXPECT_THAT(events_by_hand(measured(track::AlertState::kSuspect), tonight, "", alerts),
              IsEmpty());
}

TEST(ConfirmByHand, TheExitStatusIsThatOfTheWorstAnswer) {
  using enum track::AlertState;
  for (const auto& [states, status] : std::vector<std::pair<std::vector<track::AlertState>, int>>{
           {{}, 0},
           {{kNotReproduced, kImprovement}, 0},
           {{kReproduced, kNotReproduced}, 3},
           {{kSuspect}, 3},
           {{kInvalid, kSuspect}, 4},
           {{kEnvironmentChange}, 4},
           {{kInvalid, kRegression}, 1}}) {
    std::vector<ConfirmedNight> nights;
    for (const track::AlertState state : states) nights.push_back(measured(state));
    EXPECT_EQ(exit_code_of(nights), status) << nights.size();
  }
}

}  // namespace
}  // namespace stepbench::campaign
