// SPDX-License-Identifier: Apache-2.0
#include "tests/testing.h"
#include "tests/unit/plan/fixture.h"

namespace stepbench::testing {
namespace {

plan::Plan swept(const std::string& sweep) {
  return plan_of("workload: loader\nloader: {num_workers: 7}\nsweep: " + sweep + "\n");
}

TEST(Sweep, LastMatrixKey_VariesFastest) {
  EXPECT_THAT(points(swept("{matrix: {loader.num_workers: [1, 2], loader.batch_size: [8, 4]}}")),
              ElementsAre("batch_size=8 num_workers=1", "batch_size=4 num_workers=1",
                          "batch_size=8 num_workers=2", "batch_size=4 num_workers=2"));
}

TEST(Sweep, Zip_AdvancesInsideTheMatrix) {
  const plan::Plan plan = swept(
      "{zip: {loader.batch_size: [8, 4], data.samples: [10, 20]}, matrix: {loader.num_workers: [1, "
      "2]}}");
  EXPECT_THAT(points(plan), ElementsAre("samples=10 batch_size=8 num_workers=1",
                                        "samples=20 batch_size=4 num_workers=1",
                                        "samples=10 batch_size=8 num_workers=2",
                                        "samples=20 batch_size=4 num_workers=2"));
}

TEST(Sweep, Exclude_RemovesAndIncludeAppends) {
  const plan::Plan plan = swept(
      "{matrix: {loader.num_workers: [1, 2], loader.batch_size: [8, 4]},"
      " exclude: [{loader.num_workers: 1, loader.batch_size: 4}],"
      " include: [{loader.num_workers: 1, loader.batch_size: 64}, {loader.batch_size: 16}]}");
  EXPECT_THAT(points(plan), ElementsAre("batch_size=8 num_workers=1", "batch_size=8 num_workers=2",
                                        "batch_size=4 num_workers=2", "batch_size=64 num_workers=1",
                                        "batch_size=16 num_workers=7"));
  EXPECT_EQ(plan.excluded, 1);
}

TEST(Sweep, Exclude_MayListValues) {
  EXPECT_THAT(points(swept("{matrix: {loader.num_workers: [1, 2, 3]},"
                           " exclude: [{loader.num_workers: [1, 3]}]}")),
              ElementsAre(""));
  EXPECT_EQ(swept("{matrix: {loader.batch_size: [1, 2]}, exclude: [{loader.num_workers: 7,"
                  " loader.batch_size: 1}]}")
                .cases.size(),
            1U);
}

TEST(Sweep, IncludeAlone_GivesItsCasesOnly) {
  EXPECT_THAT(points(swept("{include: [{loader.batch_size: 2}, {loader.batch_size: 4}]}")),
              ElementsAre("batch_size=2", "batch_size=4"));
}

TEST(Sweep, SweptValue_WinsOverSetAndFile) {
  const plan::Plan plan = plan_of(
      "workload: loader\nloader: {batch_size: 9}\nsweep: {matrix: {loader.batch_size: [1, 2]}}\n",
      [](plan::PlanRequest& request) { request.set = {"loader.batch_size=5"}; });
  EXPECT_THAT(points(plan), ElementsAre("batch_size=1", "batch_size=2"));
  EXPECT_THAT(plan.notes, ElementsAre(HasSubstr("--set loader.batch_size has no effect")));
}

TEST(Sweep, EqualPoints_AreMergedAndCounted) {
  const plan::Plan plan = swept("{matrix: {loader.num_workers: [0, 1], loader.prefetch: [2, 4]}}");
  EXPECT_THAT(points(plan), ElementsAre("num_workers=0 prefetch=null", "num_workers=1 prefetch=2",
                                        "num_workers=1 prefetch=4"));
  EXPECT_EQ(plan.merged, 1);
  EXPECT_THAT(plan.merged_points,
              ElementsAre(HasSubstr("loader.num_workers=0 loader.prefetch=4 is case ")));
}

TEST(Sweep, TooManyExcludes_AreRejected) {
  std::string values = "1";
  std::string excludes;
  for (int value = 1; value <= 4'096; ++value) {
    const std::string text = std::to_string(value);
    if (value > 1) values += ", " + text;
    for (const char* prefetch : {"2", "4"}) {
      excludes += "{loader.batch_size: " + text + ", loader.prefetch: " + prefetch + "}, ";
    }
  }
  const Refusal refusal = refusal_of(
      "workload: loader\nloader: {num_workers: 1}\nsweep: {matrix: {loader.batch_size: [" + values +
      "], loader.prefetch: [2, 4]}, exclude: [" + excludes.substr(0, excludes.size() - 2) + "]}\n");
  EXPECT_THAT(refusal.what, HasSubstr("8,192 points against 8,192 excludes is too much"));
}

TEST(Sweep, ExcludeWithoutMatch_IsNoted) {
  const plan::Plan plan =
      swept("{matrix: {loader.num_workers: [1, 2]}, exclude: [{loader.num_workers: 3}]}");
  EXPECT_THAT(plan.notes, ElementsAre(HasSubstr("sweep.yaml:3:57 matches no point")));
}

TEST(Sweep, VariantOptions_ApplyToItsCases) {
  const plan::Plan plan = plan_of(
      "workload: loader\ndata: {path: /, samples: 5}\nsweep: {matrix: {data.kind: [synthetic, "
      "files]}}\n");
  EXPECT_FALSE(plan.cases[0].resolved.has("data.path"));
  EXPECT_EQ(plan.cases[0].resolved.integer("data.samples"), 5);
  EXPECT_EQ(plan.cases[1].resolved.text("data.path"), "/");
  EXPECT_FALSE(plan.cases[1].resolved.has("data.samples"));
}

TEST(Sweep, Workloads_MayVary) {
  const plan::Plan plan =
      plan_of("model: {width: 4}\nsweep: {matrix: {workload: [loader, train]}}\n");
  EXPECT_EQ(plan.cases[0].resolved.workload, "loader");
  EXPECT_FALSE(plan.cases[0].resolved.has("model.width"));
  EXPECT_EQ(plan.cases[1].resolved.integer("model.width"), 4);
}

TEST(Sweep, EnvironmentVariables_MayVary) {
  const plan::Plan plan = plan_of(
      "workload: loader\nenv: {A: x}\nsweep: {matrix: {env.B: [\"1\", \"2\"]}, include: [{env.A: "
      "y}]}\n");
  EXPECT_EQ(plan.cases[1].resolved.text("env.B"), "2");
  EXPECT_EQ(plan.cases[1].resolved.text("env.A"), "x");
  EXPECT_EQ(plan.cases[2].resolved.text("env.A"), "y");
  EXPECT_FALSE(plan.cases[2].resolved.has("env.B"));
}

TEST(Sweep, ContextOption_MayVaryWithAnother) {
  const std::string head =
      "workload: loader\ndata: {kind: files}\nsweep:\n  zip:\n    data.path: [/, /tmp]\n";
  EXPECT_EQ(plan_of(head + "    data.id: [root, temporary]\n").cases.size(), 2U);
  const Refusal refusal = refusal_of(head);
  EXPECT_EQ(refusal.where, "sweep.yaml:5:20");
  EXPECT_THAT(refusal.what, HasSubstr("two cases differ only in 'data.path'"));
}

TEST(Sweep, ShortName_IsAccepted) {
  EXPECT_EQ(points(swept("{matrix: {num_workers: [0, 2]}}")),
            (std::vector<std::string>{"num_workers=0", "num_workers=2"}));
}

}  // namespace
}  // namespace stepbench::testing
