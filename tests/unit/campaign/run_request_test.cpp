// SPDX-License-Identifier: Apache-2.0
#include "harness/campaign/run_request.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "harness/base/error.h"
#include "harness/base/exit_status.h"
#include "harness/campaign/planning.h"
#include "harness/campaign/run_experiment.h"

namespace stepbench::campaign {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

TEST(Shard, IsThatOfTheVariableWhereTheLineSaysNone) {
  EXPECT_EQ(shard_here("", {}).count, 1);
  EXPECT_EQ(shard_here("", {{"STEPBENCH_SHARD", "3/8"}}).index, 2);
  EXPECT_EQ(shard_here("1/2", {{"STEPBENCH_SHARD", "3/8"}}).count, 2);
  EXPECT_THAT(
      [] {
        (void)shard_here("", {{"STEPBENCH_SHARD", "0/4"}});
      },
      ::testing::ThrowsMessage<ConfigError>(
          ::testing::HasSubstr("STEPBENCH_SHARD: `0/4` is not I/N")));
}

TEST(Shard, OfATaskOfAnArrayMustBeSaid) {
  for (const char* name : {"SLURM_ARRAY_TASK_ID", "JOB_COMPLETION_INDEX"}) {
    EXPECT_THAT(
        [&] {
          (void)shard_here("", {{name, "0"}});
        },
        ::testing::ThrowsMessage<ConfigError>(::testing::HasSubstr(
            std::string(name) + " is set, so that this is one task of several")));
    EXPECT_EQ(shard_here("1/1", {{name, "0"}}).count, 1);
    EXPECT_EQ(shard_here("", {{name, "0"}, {"STEPBENCH_SHARD", "2/4"}}).index, 1);
  }
}

TEST(RunRequest, AShardIsCountedFromOne) {
  EXPECT_EQ(parse_shard("").count, 1);
  EXPECT_EQ(parse_shard("2/4").index, 1);
  EXPECT_EQ(parse_shard("2/4").count, 4);
  for (const char* wrong : {"0/4", "5/4", "2", "/4", "2/", "2/4x", "-1/4", "a/b"}) {
    EXPECT_THAT([&] { (void)parse_shard(wrong); },
                ThrowsMessage<ConfigError>(HasSubstr("--shard: `" + std::string(wrong) + "`")));
  }
}

plan::Plan plan_with(const std::vector<std::string>& ids) {
  plan::Plan plan;
  for (const std::string& id : ids) {
    plan::PlannedCase planned;
    planned.resolved.case_id = id;
    plan.cases.push_back(planned);
  }
  return plan;
}

std::vector<std::string> ids_of(const plan::Plan& plan) {
  std::vector<std::string> ids;
  for (const plan::PlannedCase& planned : plan.cases) ids.push_back(planned.resolved.case_id);
  return ids;
}

TEST(RunRequest, CasesAreChosenByTheBeginningsOfTheirIds) {
  plan::Plan plan = plan_with({"ab12", "ab34", "cd56"});
  keep_cases(plan, {"ab3", "cd"});
  EXPECT_THAT(ids_of(plan), ElementsAre("ab34", "cd56"));
  keep_cases(plan, {});
  EXPECT_THAT(ids_of(plan), ElementsAre("ab34", "cd56"));
  EXPECT_THAT(
      [&] {
        keep_cases(plan, {"cd", "ff"});
      },
      ThrowsMessage<ConfigError>(HasSubstr("begins with `ff`")));
  EXPECT_THAT([&] { keep_cases(plan, {""}); },
              ThrowsMessage<ConfigError>(HasSubstr("--case: is empty")));
}

TEST(RunRequest, TheCommandToRepeatACaseIsQuotedForAShell) {
  EXPECT_EQ(repeat_prefix({.file = "my sweep.yaml",
                           .set = {"loader.batch_size=8"},
                           .sweep = {"data.path=[\"a,b\", c]"},
                           .smoke = true,
                           .wrap = "nsys profile",
                           .profile = "native",
                           .worker = "build/w"}),
            "stepbench run 'my sweep.yaml' --set loader.batch_size=8 --sweep "
            "'data.path=[\"a,b\", c]' --worker build/w --wrap "
            "'nsys profile' --profile=native --smoke");
}

TEST(RunRequest, ACaseIsProfiledAsItsOptionsSay) {
  ResolvedCase resolved;
  EXPECT_FALSE(profile_of(resolved));
  resolved.options["profile.ops"] = std::string("none");
  resolved.options["profile.launches"] = std::int64_t{2};
  EXPECT_FALSE(profile_of(resolved));
  resolved.options["profile.ops"] = std::string("native");
  ASSERT_TRUE(profile_of(resolved));
  EXPECT_EQ(profile_of(resolved)->engine, Pass::kNative);
  EXPECT_EQ(profile_of(resolved)->launches, 2);
  resolved.options["profile.ops"] = std::string("kineto");
  EXPECT_EQ(profile_of(resolved)->engine, Pass::kKineto);
}

record::Results with_outcomes(const std::vector<Outcome>& outcomes) {
  record::Results results;
  for (const Outcome& outcome : outcomes) {
    results.launches.emplace_back().row.outcome = outcome;
  }
  return results;
}

TEST(RunExitStatus, IsNothingMeasuredSomeFailedOrAllWell) {
  EXPECT_EQ(run_exit_status({}), kExitNothingMeasured);
  EXPECT_EQ(run_exit_status(with_outcomes({Outcome::skipped("x"), Outcome::failed("y")})),
            kExitNothingMeasured);
  EXPECT_EQ(run_exit_status(with_outcomes({Outcome::measured(), Outcome::failed("y")})),
            kExitSomeFailed);
  EXPECT_EQ(run_exit_status(with_outcomes({Outcome::measured(), Outcome::skipped("x")})), kExitOk);
}

}  // namespace
}  // namespace stepbench::campaign
