// SPDX-License-Identifier: Apache-2.0
#include "harness/campaign/internal/run_request.h"

#include "harness/base/error.h"
#include "harness/base/exit_status.h"
#include "harness/campaign/internal/planning.h"
#include "harness/campaign/run_experiment.h"
#include "tests/testing.h"

namespace stepbench::campaign {
namespace {

TEST(Shard, FlagOrVariable_CountsFromOne) {
  EXPECT_EQ(shard_here("", {}).count, 1);
  EXPECT_EQ(shard_here("", {{"STEPBENCH_SHARD", "3/8"}}).index, 2);
  EXPECT_EQ(shard_here("1/2", {{"STEPBENCH_SHARD", "3/8"}}).count, 2);
  const auto refused = [](const machine::Variables& variables, const std::string& why) {
    EXPECT_THAT([&] { (void)shard_here("", variables); },
                ThrowsMessage<ConfigError>(HasSubstr(why)));
  };
  refused({{"STEPBENCH_SHARD", "0/4"}}, "STEPBENCH_SHARD: `0/4` is not I/N");
  // A task of an array must state its number.
  for (const std::string name : {"SLURM_ARRAY_TASK_ID", "JOB_COMPLETION_INDEX"}) {
    refused({{name, "0"}}, name + " is set, so this is one of several tasks");
    EXPECT_EQ(shard_here("1/1", {{name, "0"}}).count, 1);
    EXPECT_EQ(shard_here("", {{name, "0"}, {"STEPBENCH_SHARD", "2/4"}}).index, 1);
  }
  EXPECT_EQ(parse_shard("").count, 1);
  EXPECT_EQ(parse_shard("2/4").index, 1);
  EXPECT_EQ(parse_shard("2/4").count, 4);
  for (const char* wrong : {"0/4", "5/4", "2", "/4", "2/", "2/4x", "-1/4", "a/b"}) {
    EXPECT_THAT([&] { (void)parse_shard(wrong); },
                ThrowsMessage<ConfigError>(HasSubstr("--shard: `" + std::string(wrong) + "`")));
  }
}

// Groups of `ranks` on `device`, one case each.
plan::Plan plan_of_groups(const std::vector<std::int64_t>& ranks, const std::string& workload,
                          const std::string& device) {
  plan::Plan plan;
  for (const std::int64_t number : ranks) {
    plan::PlannedCase& planned = plan.cases.emplace_back();
    planned.resolved.workload = workload;
    planned.resolved.options["device"] = device;
    planned.resolved.options["distributed.ranks"] = number;
  }
  return plan;
}

CampaignContext context_with(int devices) {
  static const Catalogue catalogue;
  return {.built_in = {.catalogue = catalogue}, .devices = {.count = devices}};
}

TEST(Copies, Refusal_UsesTheCommandsWords) {
  const machine::Variables torchrun = {{"RANK", "1"}, {"WORLD_SIZE", "2"}};
  const auto start = [&](const OneStart& one, const machine::Variables& variables, int ranks = 1) {
    return test::error_of<ConfigError>(
        [&] { refuse_copies(plan_of_groups({ranks}, "train_step", "cpu"), one, variables); });
  };
  EXPECT_EQ(start({.shard = ""}, torchrun),
            "--shard: is missing: RANK=1 and WORLD_SIZE=2 are set, so that this is one of 2 "
            "processes, each of which would measure the whole plan; start stepbench once: "
            "`stepbench run --ranks 2` starts the ranks itself; or say --shard I/2 to measure a "
            "part of the plan in each; or unset the two where they are left from another job");
  EXPECT_THAT(start({.ranks = "ab --ranks "}, torchrun),
              AllOf(StartsWith("the environment: RANK=1 and WORLD_SIZE=2 are set"),
                    HasSubstr("`stepbench ab --ranks 2` starts the ranks itself; or unset the")));
  EXPECT_EQ(start({.shard = "1/2"}, torchrun), "");
  EXPECT_EQ(start({.ranks = "ab --ranks "}, {}), "");
  // A stale pair does not affect a group: its launcher sets the variables again.
  EXPECT_EQ(start({.ranks = "ab --ranks "}, torchrun, 2), "");
}

TEST(CheckRanks, EachRank_TakesADevice) {
  CampaignContext two_devices = context_with(2);
  const auto of = [&](plan::Plan plan) {
    return test::error_of<ConfigError>([&] { check_ranks(plan, two_devices); });
  };
  EXPECT_EQ(of(plan_of_groups({3}, "train_step", "cuda")),
            "distributed.ranks: 3 ranks take a CUDA device each, and local starts all of them on "
            "this machine, which shows 2 devices; use distributed.ranks: 2, or device: cpu");
  EXPECT_EQ(of(plan_of_groups({2}, "train_step", "cuda")), "");
  EXPECT_EQ(of(plan_of_groups({3}, "train_step", "cpu")), "");
  EXPECT_EQ(of(plan_of_groups({3}, "python_script", "cuda")), "");
  plan::Plan elsewhere = plan_of_groups({3}, "collective", "cuda");
  elsewhere.cases.front().resolved.options["distributed.launcher"] = std::string("srun");
  EXPECT_EQ(of(elsewhere), "");
  two_devices.variables = {{"CUDA_VISIBLE_DEVICES", "1"}};
  EXPECT_THAT(of(plan_of_groups({2}, "collective", "cuda")),
              HasSubstr("which shows 1 device; use one rank, or device: cpu"));
}

TEST(CheckRanks, Sweep_SkipsGroupsThatDoNotFit) {
  const CampaignContext context = context_with(2);
  plan::Plan plan = plan_of_groups({1, 2, 4}, "train_step", "cuda");
  check_ranks(plan, context);
  EXPECT_FALSE(plan.cases[0].skip);
  EXPECT_FALSE(plan.cases[1].skip);
  EXPECT_THAT(plan.cases[2].skip.value_or(""), HasSubstr("4 ranks take a CUDA device each"));
}

TEST(CheckRanks, UnknownInterface_IsAnError) {
  plan::Plan plan = plan_of_groups({2, 4}, "python_script", "cpu");
  check_ranks(plan, context_with(0));
  plan.cases.back().resolved.options["distributed.bind"] = std::string("ib7");
  EXPECT_THAT(test::error_of<ConfigError>([&] { check_ranks(plan, context_with(0)); }),
              HasSubstr("distributed.bind: 'ib7' is not an interface or address of this machine"));
}

TEST(RunRequest, IdPrefix_SelectsCases) {
  plan::Plan plan;
  for (const char* id : {"ab12", "ab34", "cd56"}) {
    plan.cases.emplace_back().resolved.case_id = id;
  }
  for (const std::vector<std::string>& begins : {std::vector<std::string>{"ab3", "cd"}, {}}) {
    plan::keep_cases(plan, begins);
    ASSERT_EQ(plan.cases.size(), 2U);
    EXPECT_EQ(plan.cases[0].resolved.case_id, "ab34");
    EXPECT_EQ(plan.cases[1].resolved.case_id, "cd56");
  }
  EXPECT_THAT(test::error_of<ConfigError>([&] {
                plan::keep_cases(plan, {"cd", "ff"});
              }),
              HasSubstr("begins with `ff`"));
  EXPECT_THAT(test::error_of<ConfigError>([&] { plan::keep_cases(plan, {""}); }),
              HasSubstr("--case: is empty"));
}

TEST(RunRequest, RepeatCommand_IsQuotedForAShell) {
  RunRequest request;
  request.file = "my sweep.yaml";
  request.set = {"loader.batch_size=8"};
  request.sweep = {"data.path=[\"a,b\", c]"};
  request.smoke = true;
  request.wrap = "nsys profile";
  request.profile = "native";
  request.worker = "build/w";
  EXPECT_EQ(repeat_prefix(request),
            "stepbench run 'my sweep.yaml' --set loader.batch_size=8 --sweep "
            "'data.path=[\"a,b\", c]' --worker build/w --wrap "
            "'nsys profile' --profile=native --smoke");
}

TEST(RunRequest, Profile_FollowsTheOptions) {
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

TEST(RunExitStatus, Outcomes_DecideTheStatus) {
  const auto status = [](const std::vector<Outcome>& outcomes) {
    record::Results results;
    for (const Outcome& one : outcomes) results.launches.emplace_back().row.outcome = one;
    return run_exit_status(results);
  };
  EXPECT_EQ(status({}), kExitNothingMeasured);
  EXPECT_EQ(status({Outcome::skipped("x"), Outcome::failed("y")}), kExitNothingMeasured);
  EXPECT_EQ(status({Outcome::measured(), Outcome::failed("y")}), kExitSomeFailed);
  EXPECT_EQ(status({Outcome::measured(), Outcome::skipped("x")}), kExitOk);
}

}  // namespace
}  // namespace stepbench::campaign
