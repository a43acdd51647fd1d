// SPDX-License-Identifier: Apache-2.0
// Options whose name has two parts stand as a map inside their section: compare: {margin: {step:
// 1%}}.
#include <gmock/gmock.h>

#include "tests/unit/plan/fixture.h"

namespace stepbench::testing {
namespace {

using ::testing::HasSubstr;

std::string option(const plan::Plan& plan, std::string_view name) {
  return to_text(*plan.cases.at(0).resolved.options.get(name));
}

constexpr const char* kLoader = "workload: loader\n";

TEST(OptionGroup, IsAMapInItsSection) {
  const plan::Plan plan =
      plan_of(std::string(kLoader) + "compare: {margin: {step: 2%, peak_bytes: 0}}\n");
  EXPECT_EQ(option(plan, "compare.margin.step"), "2%");
  EXPECT_EQ(option(plan, "compare.margin.peak_bytes"), "0");
}

TEST(OptionGroup, IsNoPartOfACase) {
  EXPECT_EQ(ids(plan_of(kLoader)),
            ids(plan_of(std::string(kLoader) + "compare: {margin: {step: 2%}}\n")));
}

TEST(OptionGroup, CanBeSetByItsWholeName) {
  const plan::Plan plan = plan_of(
      kLoader, [](plan::PlanRequest& request) { request.set = {"compare.margin.step=0.005"}; });
  EXPECT_EQ(option(plan, "compare.margin.step"), "0.005");
}

TEST(OptionGroup, AMistakeInsideHasItsPlace) {
  const Refusal unknown = refusal_of(std::string(kLoader) + "compare:\n  margin: {steps: 1%}\n");
  EXPECT_EQ(unknown.where, "sweep.yaml:3:12");
  EXPECT_THAT(unknown.what, HasSubstr("unknown key 'margin.steps'"));
  const Refusal value = refusal_of(std::string(kLoader) + "compare: {margin: {step: little}}\n");
  EXPECT_THAT(value.what, HasSubstr("compare.margin.step"));
  const Refusal flat = refusal_of(std::string(kLoader) + "compare: {margin: 1%}\n");
  EXPECT_THAT(flat.what, HasSubstr("unknown key 'margin'"));
}

}  // namespace
}  // namespace stepbench::testing
