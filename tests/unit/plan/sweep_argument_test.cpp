// SPDX-License-Identifier: Apache-2.0
// --sweep KEY=V1,V2: adds to a file's sweep and replaces parts of it.
#include "harness/base/error.h"
#include "tests/testing.h"
#include "tests/unit/plan/fixture.h"

namespace stepbench::testing {
namespace {

using Arguments = std::vector<std::string>;

Change sweeping(const Arguments& arguments) {
  return [arguments](plan::PlanRequest& request) { request.sweep = arguments; };
}

plan::Plan swept(const std::string& sweep, const Arguments& arguments) {
  return plan_of("workload: loader\n" + (sweep.empty() ? "" : "sweep: " + sweep + "\n"),
                 sweeping(arguments));
}

Refusal refused(const std::string& sweep, const Arguments& arguments) {
  return refusal_of("workload: loader\n" + (sweep.empty() ? "" : "sweep: " + sweep + "\n"),
                    sweeping(arguments));
}

TEST(SweepArgument, Several_MakeAMatrixInOrder) {
  const plan::Plan plan = swept("", {"batch_size=8,16", "loader.num_workers=0,2"});
  EXPECT_THAT(plan.varying, ElementsAre("loader.batch_size", "loader.num_workers"));
  EXPECT_THAT(points(plan),
              ElementsAre("batch_size=8 num_workers=0", "batch_size=8 num_workers=2",
                          "batch_size=16 num_workers=0", "batch_size=16 num_workers=2"));
}

TEST(SweepArgument, Ids_MatchTheSweepInTheFile) {
  EXPECT_EQ(ids(swept("", {"batch_size=8,16", "num_workers=0,2"})),
            ids(swept("{matrix: {loader.batch_size: [8, 16], loader.num_workers: [0, 2]}}", {})));
}

TEST(SweepArgument, Values_AreAYamlList) {
  EXPECT_THAT(points(swept("", {"data.id=[\"a,b\", c]"})), ElementsAre("id=a,b", "id=c"));
  EXPECT_THAT(points(swept("", {"data.id=\"a,b\",c"})), ElementsAre("id=a,b", "id=c"));
  EXPECT_THAT(points(swept("", {"data.id= a , b "})), ElementsAre("id=a", "id=b"));
}

TEST(SweepArgument, MatrixOption_IsReplacedInPlace) {
  EXPECT_THAT(points(swept("{matrix: {loader.num_workers: [0, 2], loader.batch_size: [1, 2]}}",
                           {"num_workers=4"})),
              ElementsAre("batch_size=1", "batch_size=2"));
  EXPECT_THAT(points(swept("{matrix: {loader.num_workers: [0, 2], loader.batch_size: [1, 2]}}",
                           {"num_workers=4,8"})),
              ElementsAre("batch_size=1 num_workers=4", "batch_size=2 num_workers=4",
                          "batch_size=1 num_workers=8", "batch_size=2 num_workers=8"));
}

TEST(SweepArgument, ZipList_IsReplacedByOneAsLong) {
  constexpr const char* kZip = "{zip: {loader.batch_size: [1, 2], loader.num_workers: [0, 2]}}";
  EXPECT_THAT(points(swept(kZip, {"batch_size=8,16"})),
              ElementsAre("batch_size=8 num_workers=0", "batch_size=16 num_workers=2"));
  EXPECT_THAT(points(swept(kZip, {"batch_size=8,16,32", "num_workers=1,2,3"})),
              ElementsAre("batch_size=8 num_workers=1", "batch_size=16 num_workers=2",
                          "batch_size=32 num_workers=3"));
  const Refusal refusal = refused(kZip, {"batch_size=8,16,32"});
  EXPECT_EQ(refusal.where, "--sweep batch_size");
  EXPECT_THAT(refusal.what, HasSubstr("3 values, but loader.num_workers, which advances along "
                                      "with it in the file's `zip`, has 2"));
}

TEST(SweepArgument, OtherOption_GoesBetweenMatrixAndZip) {
  EXPECT_THAT(swept("{zip: {loader.batch_size: [1, 2]}}", {"num_workers=0,2"}).varying,
              ElementsAre("loader.num_workers", "loader.batch_size"));
}

TEST(SweepArgument, IncludeOfTheOption_IsDropped) {
  const plan::Plan plan = swept(
      "{matrix: {loader.batch_size: [1]}, include: [{loader.num_workers: 8}, "
      "{data.samples: 7}]}",
      {"num_workers=0,2"});
  EXPECT_EQ(plan.cases.size(), 3U);
  EXPECT_THAT(plan.notes, Contains(HasSubstr("is left out: --sweep loader.num_workers replaces")));
}

TEST(SweepArgument, Excludes_AreKept) {
  EXPECT_THAT(points(swept("{matrix: {loader.batch_size: [1, 2]}, exclude: "
                           "[{loader.batch_size: 2, loader.num_workers: 2}]}",
                           {"num_workers=0,2"})),
              ElementsAre("batch_size=1 num_workers=0", "batch_size=1 num_workers=2",
                          "batch_size=2 num_workers=0"));
}

TEST(SweepArgument, Workload_IsSwept) {
  EXPECT_THAT(points(plan_of("model: {width: 4}\n", sweeping({"workload=loader,train"}))),
              ElementsAre("workload=loader", "workload=train"));
}

TEST(SweepArgument, Mistake_NamesTheArgument) {
  const std::pair<Arguments, const char*> kWrong[] = {
      {{"batch_size"}, "expected KEY=V1,V2,..."},
      {{"batch_size="}, "names no value"},
      {{"batch_size=1]"}, "is not a list of values"},
      {{"num_wrokers=1"}, "did you mean 'loader.num_workers'?"},
      {{"batch_size=1,x"}, "expected an integer"},
      {{"batch_size=1,2", "loader.batch_size=3"}, "is given twice"},
      {{"launches=1,2"}, "cannot be varied"},
      {{"model.width=1,2"}, "does not read"}};
  for (const auto& [arguments, what] : kWrong) {
    EXPECT_THAT(refused("", arguments).what, HasSubstr(what));
  }
  EXPECT_EQ(refused("", {"batch_size"}).where, "--sweep batch_size");
  EXPECT_EQ(refused("", {"batch_size=1,x"}).where, "--sweep batch_size");
}

TEST(SweepArgument, SetWithoutEffect_SuggestsASweep) {
  const plan::Plan plan =
      plan_of("workload: loader\nsweep: {matrix: {loader.batch_size: [1, 2]}}\n",
              [](plan::PlanRequest& request) { request.set = {"batch_size=4"}; });
  EXPECT_THAT(plan.notes, Contains(HasSubstr("--sweep loader.batch_size=... replaces")));
  EXPECT_THAT(swept("", {"batch_size=1,2"}).notes, IsEmpty());
}

TEST(StandardInput, Text_IsPlanned) {
  plan::PlanRequest request{.file = plan::kStandardInput, .text = "workload: loader\n"};
  EXPECT_EQ(plan::make_plan(request, sample_catalogue(), {}).name, "stdin");
  request.text = "workload: laoder\n";
  EXPECT_THAT([&] { (void)plan::make_plan(request, sample_catalogue(), {}); },
              ThrowsMessage<ConfigError>(HasSubstr("standard input:1:11: ")));
}

}  // namespace
}  // namespace stepbench::testing
