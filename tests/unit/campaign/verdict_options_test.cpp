// SPDX-License-Identifier: Apache-2.0
#include "harness/campaign/verdict_options.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "harness/base/error.h"

namespace stepbench {
namespace {

using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

TEST(VerdictOptions, AMarginIsAShareOrAPercentage) {
  const Margins margins = parse_margins({"step=2%", "peak_bytes=0.005"}, {});
  EXPECT_DOUBLE_EQ(margins.step, 0.02);
  EXPECT_DOUBLE_EQ(margins.peak_bytes.value(), 0.005);
  EXPECT_DOUBLE_EQ(parse_margins({"0.03"}, {}).step, 0.03) << "without a name: of the step";
  EXPECT_FALSE(parse_margins({}, {}).peak_bytes);
}

TEST(VerdictOptions, AWrongMarginIsRefused) {
  for (const char* wrong : {"step=", "step=-1%", "step=100%", "step=x", "step=1%%"}) {
    EXPECT_THAT([&] { (void)parse_margins({wrong}, {}); },
                ThrowsMessage<ConfigError>(HasSubstr("is not a share")))
        << wrong;
  }
  EXPECT_THAT([] { (void)parse_margins({"loss=1%"}, {}); },
              ThrowsMessage<ConfigError>(HasSubstr("'loss' has no margin")));
}

TEST(VerdictOptions, TheFilesMarginsHoldUnlessTheyAreAuto) {
  Plan plan;
  plan.cases.resize(1);
  plan.cases[0].resolved.options["compare.margin.step"] = 0.05;
  plan.cases[0].resolved.options["compare.margin.peak_bytes"] = std::string("auto");
  EXPECT_DOUBLE_EQ(margins_of(plan).step, 0.05);
  EXPECT_FALSE(margins_of(plan).peak_bytes);
  EXPECT_DOUBLE_EQ(margins_of({}).step, Margins{}.step);
}

TEST(VerdictOptions, WhatCannotBeAllowedIsNamedWithTheNearestThatCan) {
  EXPECT_NO_THROW(check_allowed({"noise"}, {"missing", "noise"}));
  EXPECT_THAT(
      [] {
        check_allowed({"nosie"}, {"missing", "noise"});
      },
      ThrowsMessage<ConfigError>(HasSubstr("(did you mean 'noise'?); what can be: missing, "
                                           "noise")));
}

}  // namespace
}  // namespace stepbench
