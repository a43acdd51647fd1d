// SPDX-License-Identifier: Apache-2.0
#include "tests/testing.h"
#include "tests/unit/plan/fixture.h"

namespace stepbench::testing {
namespace {

TEST(Requires, MeaninglessDefault_IsNull) {
  const plan::Plan plan = plan_of("workload: loader\nloader: {num_workers: 0}\n");
  EXPECT_FALSE(plan.cases[0].resolved.has("loader.prefetch"));
  EXPECT_TRUE(plan.cases[0].resolved.options.contains("loader.prefetch"));
}

TEST(Requires, Sweep_IsNullInThatCase) {
  const plan::Plan plan = plan_of(
      "workload: loader\nloader: {prefetch: 4}\nsweep: {matrix: {loader.num_workers: [0, 1]}}\n");
  EXPECT_FALSE(plan.cases[0].resolved.has("loader.prefetch"));
  EXPECT_EQ(plan.cases[1].resolved.integer("loader.prefetch"), 4);
}

TEST(Requires, IneffectiveOptions_GetOneNote) {
  const plan::Plan plan = plan_of(
      "workload: loader\nschedule: {precision: 0.02}\nloader: {num_workers: 0, prefetch: 4}\n");
  EXPECT_THAT(plan.notes,
              ElementsAre("no effect here: loader.prefetch without loader.num_workers > "
                          "0; schedule.precision without schedule.active: auto"));
  EXPECT_EQ(ids(plan), ids(plan_of("workload: loader\n")));
}

TEST(Requires, SweptWithoutEffect_NamesItsCase) {
  const plan::Plan plan = plan_of("workload: loader\nsweep: {matrix: {prefetch: [2, 4]}}\n");
  EXPECT_EQ(plan.cases.size(), 1U);
  EXPECT_THAT(
      plan.merged_points,
      ElementsAre(HasSubstr("; no effect: loader.prefetch without loader.num_workers > 0")));
}

TEST(Requires, Precision_NeedsAutomaticSteps) {
  const plan::Plan plan = plan_of("workload: loader\nschedule: {active: auto, precision: 0.02}\n");
  EXPECT_EQ(plan.cases[0].resolved.text("schedule.active"), "auto");
  EXPECT_EQ(plan.cases[0].resolved.number("schedule.precision"), 0.02);
}

TEST(ShortRuns, SmokeOrQuick_HaveFewShortLaunches) {
  const struct {
    bool smoke;
    std::int64_t launches, warmup, active;
  } rows[] = {{true, 1, 1, 2}, {false, 2, 3, 10}};
  for (const auto& row : rows) {
    const plan::Plan plan =
        plan_of("workload: loader\nlaunches: 9\nschedule: {active: auto, precision: 0.02}\n",
                [&](plan::PlanRequest& request) {
                  request.smoke = row.smoke;
                  request.quick = !row.smoke;
                });
    const ResolvedCase& resolved = plan.cases[0].resolved;
    EXPECT_EQ(resolved.integer("launches"), row.launches);
    EXPECT_EQ(resolved.integer("schedule.warmup"), row.warmup);
    EXPECT_EQ(resolved.integer("schedule.active"), row.active);
    EXPECT_FALSE(resolved.has("schedule.precision"));
    EXPECT_TRUE(!row.smoke || resolved.integer("schedule.wait") == 0);
  }
}

TEST(Values, Group_IsAMapInItsSection) {
  const auto margins = [](const plan::Plan& plan, const char* name) {
    return to_text(*plan.cases.at(0).resolved.options.get(name));
  };
  const plan::Plan plan =
      plan_of("workload: loader\ncompare: {margin: {step: 2%, peak_bytes: 0}}\n");
  EXPECT_EQ(margins(plan, "compare.margin.step"), "2%");
  EXPECT_EQ(margins(plan, "compare.margin.peak_bytes"), "0");
  EXPECT_EQ(ids(plan), ids(plan_of("workload: loader\n"))) << "they are no part of a case";
  EXPECT_EQ(margins(plan_of("workload: loader\n",
                            [](plan::PlanRequest& request) {
                              request.set = {"compare.margin.step=0.005"};
                            }),
                    "compare.margin.step"),
            "0.005");
}

TEST(Values, WholeNumber_MayHaveADecimalPoint) {
  const auto planned = [](const std::string& number) {
    return plan_of("workload: loader\nloader: {batch_size: " + number + "}\n")
        .cases.front()
        .resolved.options.at("loader.batch_size");
  };
  EXPECT_EQ(planned("8.0"), Value(std::int64_t{8}));
  EXPECT_EQ(planned("1e3"), Value(std::int64_t{1000}));
}

TEST(Rules, OtherVariant_HasItsOptions) {
  const WorkloadRule rules[] = {{"loader", [](ResolvedCase& resolved, const RuleFacts&, RuleSink&) {
                                   resolved.options["data.kind"] = std::string("synthetic");
                                 }}};
  const plan::Plan plan = plan_of("workload: loader\ndata: {kind: files, path: /}\n", {}, rules);
  EXPECT_EQ(plan.cases[0].resolved.integer("data.samples"), 100);
  EXPECT_FALSE(plan.cases[0].resolved.has("data.path"));
  EXPECT_EQ(ids(plan), ids(plan_of("workload: loader\n")));
}

TEST(Rules, SkipsAndNotes_AreKept) {
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
  EXPECT_THAT(plan.notes, ElementsAre("said once"));
}

TEST(Device, SweptCudaWithoutADevice_IsSkipped) {
  const plan::Plan plan = plan_of("workload: loader\nsweep: {matrix: {device: [cpu, cuda]}}\n");
  EXPECT_FALSE(plan.cases[0].skip);
  EXPECT_THAT(*plan.cases[1].skip, HasSubstr("no CUDA device"));
}

TEST(Device, Auto_TakesCudaIfAvailable) {
  const auto with_cuda = [](plan::PlanRequest& request) { request.cuda_available = true; };
  EXPECT_EQ(plan_of("workload: loader\n", with_cuda).cases[0].resolved.text("device"), "cuda:0");
  EXPECT_EQ(plan_of("workload: loader\ndevice: auto\n").cases[0].resolved.text("device"), "cpu");
}

}  // namespace
}  // namespace stepbench::testing
