// SPDX-License-Identifier: Apache-2.0
#include "harness/plan/plan.h"

#include "harness/base/error.h"
#include "tests/testing.h"
#include "tests/unit/plan/fixture.h"

namespace stepbench::plan {
namespace {

std::string fixed(const std::string& text, const std::vector<std::string>& set = {},
                  const Fields& values = {}) {
  return fixed_experiment(text, "sweep.yaml", testing::sample_catalogue(), set, values);
}

TEST(FixedExperiment, SweptFile_KeepsItsFixedSettings) {
  const std::string text = fixed(
      "# a comment\nworkload: loader\nname: mine\ndata: {kind: synthetic}\n"
      "loader: {batch_size: 8, num_workers: 1}\nsweep: {matrix: {loader.num_workers: [2, 4]}}\n");
  EXPECT_THAT(text, Not(HasSubstr("sweep")));
  const Plan plan = testing::plan_of(text);
  ASSERT_EQ(plan.cases.size(), 1U);
  EXPECT_EQ(plan.name, "mine");
  EXPECT_EQ(plan.cases.front().resolved.integer("loader.num_workers"), 1);
}

TEST(FixedExperiment, Values_SelectThePoint) {
  const std::string file =
      "workload: loader\ndata: {kind: synthetic}\nsweep:\n  matrix:\n"
      "    loader.num_workers: [0, 2, 4]\n    loader.batch_size: [8, 16]\n";
  const Plan swept = testing::plan_of(file);
  ASSERT_EQ(swept.cases.size(), 6U);
  for (const PlannedCase& planned : swept.cases) {
    Fields values;
    for (const std::string& name : swept.varying) {
      values.emplace(name, planned.resolved.options.at(name));
    }
    const Plan one = testing::plan_of(fixed(file, {}, values));
    ASSERT_EQ(one.cases.size(), 1U);
    EXPECT_EQ(one.cases.front().resolved.case_id, planned.resolved.case_id);
  }
}

TEST(FixedExperiment, CommandLineSettings_HaveFullNames) {
  const std::string text =
      fixed("workload: loader\ndata: {kind: synthetic}\n", {"num_workers=3", "loader.batch_size=8"},
            {{"loader.batch_size", std::int64_t{16}}});
  EXPECT_EQ(text,
            "workload: loader\ndata:\n  kind: synthetic\nloader:\n  num_workers: 3\n"
            "  batch_size: 16\n");
}

TEST(FixedExperiment, Texts_KeepTheirMeaning) {
  // A quoted number is text, a dollar sign in a value is not a variable, and variables stay
  // variables.
  const std::string text = fixed(
      "name: '12'\nworkload: loader\ndata: {kind: files, path: \"${NOWHERE:-a: b}\"}\n"
      "loader: {batch_size: 8}\n");
  EXPECT_THAT(text, HasSubstr("${NOWHERE:-a: b}"));
  const std::string odd = "cost $5, {\"quoted\"}\n#";
  const std::string with_odd =
      fixed("name: x\nworkload: loader\ndata: {kind: synthetic}\n", {}, {{"data.id", odd}});
  EXPECT_EQ(testing::plan_of(with_odd).cases.front().resolved.text("data.id"), odd);
}

TEST(FixedExperiment, Mistakes_NameTheirPlace) {
  EXPECT_THROW(fixed("workload: [", {}), ConfigError);
  EXPECT_THROW(fixed("workload: loader\n", {"nosuch=1"}), ConfigError);
  EXPECT_THROW(fixed("workload: loader\n", {"num_workers"}), ConfigError);
}

}  // namespace
}  // namespace stepbench::plan
