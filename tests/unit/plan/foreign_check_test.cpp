// SPDX-License-Identifier: Apache-2.0
#include "harness/plan/plan.h"

#include <unistd.h>

#include "harness/base/error.h"
#include "tests/testing.h"
#include "tests/unit/plan/fixture.h"

namespace stepbench::testing {
namespace {

class ForeignCheckTest : public ::testing::Test {
 protected:
  ForeignCheckTest() {
    std::ofstream(file_) << "workload: loader\nsweep:\n  matrix:\n    loader.num_workers: [1, 2]\n";
  }
  ~ForeignCheckTest() override { fs::remove(file_); }

  plan::Plan plan(const plan::ForeignCheck& check) {
    return plan::make_checked_plan({.file = file_}, sample_catalogue(), check);
  }

  fs::path file_ =
      fs::path(::testing::TempDir()) / ("foreign-" + std::to_string(getpid()) + ".yaml");
};

TEST_F(ForeignCheckTest, Answers_BecomeSkipsAndNotes) {
  const plan::Plan checked = plan([](std::span<const ResolvedCase> cases, const RuleFacts& facts) {
    EXPECT_TRUE(facts.swept);
    EXPECT_EQ(cases[1].integer("loader.num_workers"), 2);
    return std::vector<CheckAnswer>{{.notes = {"hello"}, .plan_notes = {"longer"}},
                                    {.kind = CheckAnswer::Kind::kSkip, .reason = "no"}};
  });
  EXPECT_FALSE(checked.cases[0].skip);
  EXPECT_EQ(checked.cases[1].skip, "no");
  EXPECT_THAT(checked.notes, ElementsAre("hello", "longer"));
  EXPECT_THAT(checked.cases[0].notes, ElementsAre("hello")) << "what results say, too";
}

TEST_F(ForeignCheckTest, Rules_MayChangeStepsButNotTheId) {
  const plan::Plan asked = plan({});
  const plan::Plan checked = plan([](std::span<const ResolvedCase> cases, const RuleFacts&) {
    std::vector<CheckAnswer> answers(cases.size());
    answers[1].options = {{"schedule.active", std::int64_t{96}},
                          {"schedule.sync", std::int64_t{1}},
                          {"schedule.new", std::int64_t{2}}};
    return answers;
  });
  EXPECT_EQ(checked.cases[0].resolved.integer("schedule.active"), 50);
  EXPECT_EQ(checked.cases[1].resolved.integer("schedule.active"), 96);
  EXPECT_EQ(checked.cases[1].resolved.text("schedule.sync"), "none");
  EXPECT_FALSE(checked.cases[1].resolved.has("schedule.new"));
  EXPECT_EQ(ids(checked), ids(asked));
}

// A case's id does not depend on whether the rules are linked in or run by a program.
TEST_F(ForeignCheckTest, LinkedOrAsked_GiveTheSameId) {
  const auto rule = [](ResolvedCase& resolved, const RuleFacts&, RuleSink&) {
    if (resolved.integer("loader.num_workers") == 2) {
      resolved.options["loader.num_workers"] = std::int64_t{1};
    }
  };
  const WorkloadRule rules[] = {{"loader", rule}};
  const plan::Plan linked = plan::make_checked_plan({.file = file_}, sample_catalogue(), {}, rules);
  const plan::Plan asked = plan([](std::span<const ResolvedCase> cases, const RuleFacts&) {
    std::vector<CheckAnswer> answers(cases.size());
    answers[1].options = {{"loader.num_workers", std::int64_t{1}}};
    return answers;
  });
  EXPECT_EQ(ids(asked), ids(linked));
  EXPECT_EQ(asked.digest, linked.digest);
  EXPECT_EQ(asked.merged, 1);
  EXPECT_EQ(asked.merged_points, linked.merged_points);
}

TEST_F(ForeignCheckTest, Error_PointsAtTheSweptValue) {
  const auto check = [](std::span<const ResolvedCase> cases, const RuleFacts&) {
    std::vector<CheckAnswer> answers(cases.size());
    answers[1] = {
        .kind = CheckAnswer::Kind::kError, .option = "loader.num_workers", .reason = "odd"};
    return answers;
  };
  EXPECT_THAT([&] { static_cast<void>(plan(check)); },
              ThrowsMessage<ConfigError>(HasSubstr(".yaml:4:29: odd")));
}

TEST_F(ForeignCheckTest, WrongAnswerCount_IsAnError) {
  EXPECT_THROW(plan([](auto, const RuleFacts&) { return std::vector<CheckAnswer>(1); }), Error);
}

}  // namespace
}  // namespace stepbench::testing
