// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>

#include "tests/unit/plan/fixture.h"

namespace stepbench::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

void expect_sweep_refusal(const std::string& sweep, const std::string& where,
                          const std::string& what) {
  const Refusal refusal = refusal_of("workload: loader\nsweep: " + sweep + "\n");
  EXPECT_EQ(refusal.where, where) << refusal.what;
  EXPECT_THAT(refusal.what, HasSubstr(what));
}

plan::Plan swept(const std::string& sweep) {
  return plan_of("workload: loader\nloader: {num_workers: 7}\nsweep: " + sweep + "\n");
}

TEST(Sweep, TheLastKeyOfTheMatrixVariesFastest) {
  EXPECT_THAT(points(swept("{matrix: {loader.num_workers: [1, 2], loader.batch_size: [8, 4]}}")),
              ElementsAre("batch_size=8 num_workers=1", "batch_size=4 num_workers=1",
                          "batch_size=8 num_workers=2", "batch_size=4 num_workers=2"));
}

TEST(Sweep, ZipAdvancesItsKeysTogetherInsideTheMatrix) {
  const plan::Plan plan = swept(
      "{zip: {loader.batch_size: [8, 4], data.samples: [10, 20]}, matrix: {loader.num_workers: [1, "
      "2]}}");
  EXPECT_THAT(points(plan), ElementsAre("samples=10 batch_size=8 num_workers=1",
                                        "samples=20 batch_size=4 num_workers=1",
                                        "samples=10 batch_size=8 num_workers=2",
                                        "samples=20 batch_size=4 num_workers=2"));
}

TEST(Sweep, ExcludeRemovesPointsAndIncludeAppends) {
  const plan::Plan plan = swept(
      "{matrix: {loader.num_workers: [1, 2], loader.batch_size: [8, 4]},"
      " exclude: [{loader.num_workers: 1, loader.batch_size: 4}],"
      " include: [{loader.num_workers: 1, loader.batch_size: 64}, {loader.batch_size: 16}]}");
  EXPECT_THAT(points(plan), ElementsAre("batch_size=8 num_workers=1", "batch_size=8 num_workers=2",
                                        "batch_size=4 num_workers=2", "batch_size=64 num_workers=1",
                                        "batch_size=16 num_workers=7"));
  EXPECT_EQ(plan.excluded, 1);
}

TEST(Sweep, ExcludeMatchesAnyOfAList) {
  EXPECT_THAT(points(swept("{matrix: {loader.num_workers: [1, 2, 3]},"
                           " exclude: [{loader.num_workers: [1, 3]}]}")),
              ElementsAre(""));
}

TEST(Sweep, ExcludeMayNameOptionsThatDoNotVary) {
  const plan::Plan plan = swept(
      "{matrix: {loader.batch_size: [1, 2]}, exclude: [{loader.num_workers: 7,"
      " loader.batch_size: 1}]}");
  EXPECT_EQ(plan.cases.size(), 1U);
}

TEST(Sweep, IncludeAloneGivesOnlyItsCases) {
  EXPECT_THAT(points(swept("{include: [{loader.batch_size: 2}, {loader.batch_size: 4}]}")),
              ElementsAre("batch_size=2", "batch_size=4"));
}

TEST(Sweep, ASweptValueWinsOverSetAndFile) {
  const plan::Plan plan = plan_of(
      "workload: loader\nloader: {batch_size: 9}\nsweep: {matrix: {loader.batch_size: [1, 2]}}\n",
      [](plan::PlanRequest& request) { request.set = {"loader.batch_size=5"}; });
  EXPECT_THAT(points(plan), ElementsAre("batch_size=1", "batch_size=2"));
  EXPECT_THAT(plan.notes, ElementsAre(HasSubstr("--set loader.batch_size has no effect")));
}

TEST(Sweep, PointsThatBecomeEqualAreMergedAndCounted) {
  const plan::Plan plan = swept("{matrix: {loader.num_workers: [0, 1], loader.prefetch: [2, 4]}}");
  EXPECT_THAT(points(plan), ElementsAre("num_workers=0 prefetch=null", "num_workers=1 prefetch=2",
                                        "num_workers=1 prefetch=4"));
  EXPECT_EQ(plan.merged, 1);
  EXPECT_THAT(plan.merged_points,
              ElementsAre(HasSubstr("loader.num_workers=0 loader.prefetch=4 is case ")));
}

TEST(Sweep, AnExcludeThatMatchesNothingIsNoted) {
  const plan::Plan plan =
      swept("{matrix: {loader.num_workers: [1, 2]}, exclude: [{loader.num_workers: 3}]}");
  EXPECT_THAT(plan.notes, ElementsAre(HasSubstr("sweep.yaml:3:57 matches no point")));
}

TEST(Sweep, OptionsOfAVariantApplyToItsCasesOnly) {
  const plan::Plan plan = plan_of(
      "workload: loader\ndata: {path: /, samples: 5}\nsweep: {matrix: {data.kind: [synthetic, "
      "files]}}\n");
  EXPECT_FALSE(plan.cases[0].resolved.has("data.path"));
  EXPECT_EQ(plan.cases[0].resolved.integer("data.samples"), 5);
  EXPECT_EQ(plan.cases[1].resolved.text("data.path"), "/");
  EXPECT_FALSE(plan.cases[1].resolved.has("data.samples"));
}

TEST(Sweep, WorkloadsMayVary) {
  const plan::Plan plan =
      plan_of("model: {width: 4}\nsweep: {matrix: {workload: [loader, train]}}\n");
  EXPECT_EQ(plan.cases[0].resolved.workload, "loader");
  EXPECT_FALSE(plan.cases[0].resolved.has("model.width"));
  EXPECT_EQ(plan.cases[1].resolved.integer("model.width"), 4);
}

TEST(Sweep, EnvironmentVariablesMayVary) {
  const plan::Plan plan = plan_of(
      "workload: loader\nenv: {A: x}\nsweep: {matrix: {env.B: [\"1\", \"2\"]}, include: [{env.A: "
      "y}]}\n");
  EXPECT_EQ(plan.cases[1].resolved.text("env.B"), "2");
  EXPECT_EQ(plan.cases[1].resolved.text("env.A"), "x");
  EXPECT_EQ(plan.cases[2].resolved.text("env.A"), "y");
  EXPECT_FALSE(plan.cases[2].resolved.has("env.B"));
}

TEST(Sweep, AContextOptionMayGoAlongWithOneThatTellsCasesApart) {
  const std::string head =
      "workload: loader\ndata: {kind: files}\nsweep:\n  zip:\n    data.path: [/, /tmp]\n";
  EXPECT_EQ(plan_of(head + "    data.id: [root, temporary]\n").cases.size(), 2U);
  const Refusal refusal = refusal_of(head);
  EXPECT_EQ(refusal.where, "sweep.yaml:5:20");
  EXPECT_THAT(refusal.what, HasSubstr("two cases differ only in 'data.path'"));
}

TEST(SweepErrors, EmptySweep) {
  expect_sweep_refusal("", "sweep.yaml:2:1", "the sweep is empty");
  expect_sweep_refusal("{}", "sweep.yaml:2:8", "the sweep is empty");
  expect_sweep_refusal("{matrix: {}}", "sweep.yaml:2:9", "'matrix' is empty");
  expect_sweep_refusal("{matrix: {loader.num_workers: []}}", "sweep.yaml:2:38",
                       "the list of 'loader.num_workers' is empty");
  expect_sweep_refusal("{include: []}", "sweep.yaml:2:9", "'include' is empty");
  expect_sweep_refusal("{exclude: [{loader.num_workers: 0}]}", "sweep.yaml:2:1",
                       "the sweep is empty");
}

TEST(SweepErrors, ExcludeThatLeavesNothing) {
  expect_sweep_refusal("{matrix: {loader.num_workers: [1]}, exclude: [{loader.num_workers: 1}]}",
                       "sweep.yaml:2:1", "exclude leaves no case");
}

TEST(SweepErrors, UnknownKeys) {
  expect_sweep_refusal("{matrix: {loader.num_wrokers: [1]}}", "sweep.yaml:2:18",
                       "unknown option 'loader.num_wrokers' (did you mean 'loader.num_workers'?)");
  expect_sweep_refusal("{matirx: {}}", "sweep.yaml:2:9",
                       "unknown key 'matirx' in 'sweep' (did you mean 'matrix'?)");
  expect_sweep_refusal("{loader.num_workers: [1]}", "sweep.yaml:2:9",
                       "stands inside `matrix` or `zip`");
}

TEST(SweepErrors, WrongValuesHaveTheirOwnPlace) {
  expect_sweep_refusal("{matrix: {loader.num_workers: [1, x, -3]}}", "sweep.yaml:2:42",
                       "found 'x'");
  EXPECT_THAT(
      refusal_of("workload: loader\nsweep: {matrix: {loader.num_workers: [1, x, -3]}}\n").what,
      HasSubstr("sweep.yaml:2:45: 'loader.num_workers': expected"));
}

TEST(SweepErrors, UnequalZip) {
  expect_sweep_refusal("{zip: {loader.num_workers: [1, 2], loader.batch_size: [1, 2, 3]}}",
                       "sweep.yaml:2:43",
                       "'loader.batch_size' has 3 values, 'loader.num_workers' has 2");
}

TEST(SweepErrors, KeyInMatrixAndZip) {
  expect_sweep_refusal("{matrix: {loader.num_workers: [1]}, zip: {loader.num_workers: [2]}}",
                       "sweep.yaml:2:50", "is in matrix and in zip");
}

TEST(SweepErrors, OptionsOutsideIdentityCannotVary) {
  expect_sweep_refusal("{matrix: {name: [a, b]}}", "sweep.yaml:2:18", "'name' cannot be varied");
  expect_sweep_refusal("{matrix: {launches: [1, 2]}}", "sweep.yaml:2:18",
                       "not part of a case's identity");
}

TEST(SweepErrors, OptionOfAnotherVariant) {
  expect_sweep_refusal("{matrix: {data.size: [1, 2]}}", "sweep.yaml:2:18",
                       "'size' belongs to data.kind files; this file has synthetic");
}

TEST(SweepErrors, RepeatedInclude) {
  expect_sweep_refusal("{matrix: {loader.num_workers: [1, 2]}, include: [{loader.num_workers: 2}]}",
                       "sweep.yaml:2:57", "repeats a case of the sweep (loader.num_workers=2)");
  expect_sweep_refusal("{include: [{loader.num_workers: 2}, {loader.num_workers: 2}]}",
                       "sweep.yaml:2:44", "repeats a case");
}

std::string list_of(int values) {
  std::string text = "[1";
  for (int i = 2; i <= values; ++i) text += ", " + std::to_string(i);
  return text + "]";
}

TEST(SweepErrors, TooManyCasesAreCountedNotMade) {
  const std::string two =
      "loader.batch_size: " + list_of(1000) + ", data.samples: " + list_of(1000);
  expect_sweep_refusal(
      "{matrix: {" + two + "}}", "sweep.yaml:2:1",
      "the sweep has 1,000,000 cases, more than 100,000; --max-cases 1000000 allows them");
  expect_sweep_refusal("{matrix: {" + two + ", loader.prefetch: " + list_of(1000) + "}}",
                       "sweep.yaml:2:1", "the sweep has more than 10,000,000 cases; no plan may");
  const Refusal refusal =
      refusal_of("workload: loader\nsweep: {matrix: {loader.batch_size: [1, 2, 3]}}\n",
                 [](plan::PlanRequest& request) { request.max_cases = 2; });
  EXPECT_THAT(refusal.what, HasSubstr("the sweep has 3 cases, more than 2"));
}

TEST(SweepErrors, ANumberOfCasesThatOverflowsIsRefusedWhateverMaxCasesSays) {
  const std::string axis = list_of(1000);
  const std::string yaml = "workload: loader\nsweep: {matrix: {loader.batch_size: " + axis +
                           ", data.samples: " + axis + ", loader.prefetch: " + axis +
                           ", loader.num_workers: " + axis + ", data.id: " + axis +
                           ", env.A: " + axis + ", env.B: " + axis + "}}\n";
  for (const std::int64_t most : {std::int64_t{10'000'000}, std::int64_t{2305843009213693951},
                                  std::int64_t{0}, std::int64_t{-1}}) {
    const Refusal refusal =
        refusal_of(yaml, [&](plan::PlanRequest& request) { request.max_cases = most; });
    EXPECT_THAT(refusal.what, HasSubstr("10,000,000")) << most;
  }
}

TEST(Sweep, TakesShortNamesWhereOneOptionIsMeant) {
  EXPECT_EQ(points(plan_of("workload: loader\nsweep: {matrix: {num_workers: [0, 2]}}\n")),
            (std::vector<std::string>{"num_workers=0", "num_workers=2"}));
  expect_sweep_refusal("{matrix: {num_wrokers: [0]}}", "sweep.yaml:2:18",
                       "did you mean 'loader.num_workers'?");
}

}  // namespace
}  // namespace stepbench::testing
