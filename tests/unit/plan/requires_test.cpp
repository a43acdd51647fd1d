// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>

#include "tests/unit/plan/fixture.h"

namespace stepbench::testing {
namespace {

using ::testing::HasSubstr;

TEST(Requires, AnOptionWithoutMeaningIsAnErrorOutsideASweep) {
  const Refusal refusal = refusal_of("workload: loader\nloader: {num_workers: 0, prefetch: 4}\n");
  EXPECT_EQ(refusal.where, "sweep.yaml:2:36");
  EXPECT_THAT(
      refusal.what,
      HasSubstr("'loader.prefetch' needs workers (num_workers > 0); here loader.num_workers is 0"));
}

TEST(Requires, ADefaultWithoutMeaningIsNull) {
  const plan::Plan plan = plan_of("workload: loader\nloader: {num_workers: 0}\n");
  EXPECT_FALSE(plan.cases[0].resolved.has("loader.prefetch"));
  EXPECT_TRUE(plan.cases[0].resolved.options.contains("loader.prefetch"));
}

TEST(Requires, InASweepItIsNullInThatCase) {
  const plan::Plan plan = plan_of(
      "workload: loader\nloader: {prefetch: 4}\nsweep: {matrix: {loader.num_workers: [0, 1]}}\n");
  EXPECT_FALSE(plan.cases[0].resolved.has("loader.prefetch"));
  EXPECT_EQ(plan.cases[1].resolved.integer("loader.prefetch"), 4);
}

TEST(Requires, PrecisionNeedsAutomaticSteps) {
  EXPECT_EQ(refusal_of("workload: loader\nschedule: {precision: 0.02}\n").where, "sweep.yaml:2:23");
  const plan::Plan plan = plan_of("workload: loader\nschedule: {active: auto, precision: 0.02}\n");
  EXPECT_EQ(plan.cases[0].resolved.text("schedule.active"), "auto");
  EXPECT_EQ(plan.cases[0].resolved.number("schedule.precision"), 0.02);
}

TEST(Smoke, IsOneLaunchOfOneWarmUpAndTwoSteps) {
  const plan::Plan plan =
      plan_of("workload: loader\nlaunches: 9\nschedule: {active: auto, precision: 0.02}\n",
              [](plan::PlanRequest& request) { request.smoke = true; });
  const ResolvedCase& resolved = plan.cases[0].resolved;
  EXPECT_EQ(resolved.integer("launches"), 1);
  EXPECT_EQ(resolved.integer("schedule.wait"), 0);
  EXPECT_EQ(resolved.integer("schedule.warmup"), 1);
  EXPECT_EQ(resolved.integer("schedule.active"), 2);
  EXPECT_FALSE(resolved.has("schedule.precision"));
}

TEST(Quick, IsTwoLaunchesOfShortWindows) {
  const plan::Plan plan =
      plan_of("workload: loader\nlaunches: 9\nschedule: {active: auto, precision: 0.02}\n",
              [](plan::PlanRequest& request) { request.quick = true; });
  const ResolvedCase& resolved = plan.cases[0].resolved;
  EXPECT_EQ(resolved.integer("launches"), 2);
  EXPECT_EQ(resolved.integer("schedule.warmup"), 3);
  EXPECT_EQ(resolved.integer("schedule.active"), 10);
  EXPECT_FALSE(resolved.has("schedule.precision"));
}

TEST(Rules, MayChooseAnotherVariantWhoseOptionsThenApply) {
  const WorkloadRule rules[] = {{"loader", [](ResolvedCase& resolved, const RuleFacts&, RuleSink&) {
                                   resolved.options["data.kind"] = std::string("synthetic");
                                 }}};
  const plan::Plan plan = plan_of("workload: loader\ndata: {kind: files, path: /}\n", {}, rules);
  EXPECT_EQ(plan.cases[0].resolved.integer("data.samples"), 100);
  EXPECT_FALSE(plan.cases[0].resolved.has("data.path"));
  EXPECT_EQ(ids(plan), ids(plan_of("workload: loader\n")));
}

TEST(Rules, SkipsAndNotesAreKept) {
  const WorkloadRule rules[] = {
      {"loader", [](ResolvedCase& resolved, const RuleFacts& facts, RuleSink& sink) {
         EXPECT_EQ(facts.cores, 3);
         EXPECT_TRUE(facts.swept);
         if (resolved.integer("loader.num_workers") > facts.cores) sink.skip("too many");
         sink.note("said once");
       }}};
  const plan::Plan plan = plan_of(
      "workload: loader\nsweep: {matrix: {loader.num_workers: [1, 4]}}\n",
      [](plan::PlanRequest& request) { request.cores = 3; }, rules);
  EXPECT_FALSE(plan.cases[0].skip);
  EXPECT_EQ(plan.cases[1].skip, "too many");
  EXPECT_THAT(plan.notes, ::testing::ElementsAre("said once"));
}

TEST(Device, ASweptCudaWithoutADeviceIsSkipped) {
  const plan::Plan plan = plan_of("workload: loader\nsweep: {matrix: {device: [cpu, cuda]}}\n");
  EXPECT_FALSE(plan.cases[0].skip);
  EXPECT_THAT(*plan.cases[1].skip, HasSubstr("no CUDA device"));
}

TEST(Device, AutoTakesCudaWhenItIsThere) {
  const auto with_cuda = [](plan::PlanRequest& request) { request.cuda_available = true; };
  EXPECT_EQ(plan_of("workload: loader\n", with_cuda).cases[0].resolved.text("device"), "cuda:0");
}

}  // namespace
}  // namespace stepbench::testing
