// SPDX-License-Identifier: Apache-2.0
#include "harness/plan/yaml_document.h"

#include "harness/base/error.h"
#include "tests/testing.h"
#include "tests/unit/plan/fixture.h"

namespace stepbench::testing {
namespace {

const std::vector<std::pair<std::string, std::string>> kVariables = {{"HOME", "/home/ada"},
                                                                     {"EMPTY", ""}};

TEST(Interpolate, VariablesAndDefaults_AreFilledIn) {
  EXPECT_EQ(plan::interpolate("${HOME}/data", kVariables), "/home/ada/data");
  EXPECT_EQ(plan::interpolate("${HOME:-x}/${NOPE:-y}", kVariables), "/home/ada/y");
  EXPECT_EQ(plan::interpolate("${EMPTY:-fallback}", kVariables), "fallback");
  EXPECT_EQ(plan::interpolate("${EMPTY}", kVariables), "");
  EXPECT_EQ(plan::interpolate("costs $5 or $$5", kVariables), "costs $5 or $5");
}

TEST(Interpolate, Unfinished_IsAnError) {
  EXPECT_THROW(static_cast<void>(plan::interpolate("${HOME", kVariables)), Error);
  EXPECT_THROW(static_cast<void>(plan::interpolate("${}", kVariables)), Error);
  EXPECT_THROW(static_cast<void>(plan::interpolate("${1x}", kVariables)), Error);
}

TEST(Interpolate, Result_IsTypedAsIfWrittenThere) {
  const plan::Plan plan = plan_of("workload: loader\nloader: {num_workers: ${N:-3}}\n");
  EXPECT_EQ(plan.cases[0].resolved.integer("loader.num_workers"), 3);
  EXPECT_EQ(plan_of("workload: loader\nname: ${PATH:-none}\n").name, "none") << "none is given";
}

TEST(Interpolate, Value_IsNotInterpolatedAgain) {
  const std::vector<std::pair<std::string, std::string>> nested = {{"A", "${B}"}, {"B", "x"}};
  EXPECT_EQ(plan::interpolate("${A}", nested), "${B}");
}

}  // namespace
}  // namespace stepbench::testing
