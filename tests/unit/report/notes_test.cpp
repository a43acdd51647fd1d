// SPDX-License-Identifier: Apache-2.0
// What is told of a case where its launches do not agree.
#include "harness/report/notes.h"

#include <gmock/gmock.h>

#include <deque>

namespace stepbench::report {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

struct Said {
  const char* verdict;
  std::int64_t more_steps = 0;
  double change = 0;
};

std::vector<std::string> notes(const std::vector<Said>& all) {
  std::deque<record::Launch> launches;
  estimate::CaseRow row;
  for (const Said& said : all) {
    record::LaunchReport& report = launches.emplace_back().row.report;
    report.schedule = {{"warmup_verdict", std::string(said.verdict)},
                       {"warmup_more", said.more_steps},
                       {"warmup_change", said.change}};
    if (said.verdict == std::string_view("too_short")) {
      report.flags = {"warmup_too_short"};
      report.notes = {"warm-up too short, at least 9 more steps: of this launch"};
    }
    if (said.verdict == std::string_view("drifting")) {
      report.flags = {"drifting"};
      report.notes = {"drifting: of this launch"};
    }
    row.measured.push_back({.launch = &launches.back(), .estimate = {}});
  }
  return notes_of({row}, {});
}

TEST(WarmUpNotes, ATrendIsToldWhereMoreThanHalfOfTheLaunchesHaveIt) {
  EXPECT_THAT(notes({{"too_short", 9, -0.1}, {"too_short", 12, -0.2}, {"ok"}}),
              ElementsAre("warm-up too short, at least 12 more steps: steps became 15.0 % faster "
                          "within the window (2 of 3 launches)"));
  EXPECT_THAT(notes({{"drifting", 0, 0.05}}),
              ElementsAre(::testing::AllOf(HasSubstr("drifting: steps became 5.0 % slower"),
                                           HasSubstr("(1 of 1 launches)"))));
}

TEST(WarmUpNotes, ATrendOfFewerLaunchesIsChance) {
  EXPECT_THAT(notes({{"too_short", 9, -0.1}, {"ok"}}), ::testing::IsEmpty());
  EXPECT_THAT(notes({{"too_short", 9, -0.1}, {"drifting", 0, 0.1}, {"ok"}}), ::testing::IsEmpty());
}

TEST(WarmUpNotes, AVerdictOfALaterVersionIsNoTrend) {
  EXPECT_THAT(notes({{"drowsy"}, {"drowsy"}}), ::testing::IsEmpty());
}

TEST(WarmUpNotes, AFileThatDoesNotSayHowMuchFasterStillTellsTheSteps) {
  EXPECT_THAT(notes({{"too_short", 7}}),
              ElementsAre("warm-up too short, at least 7 more steps (1 of 1 launches)"));
}

}  // namespace
}  // namespace stepbench::report
