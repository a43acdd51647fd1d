// SPDX-License-Identifier: Apache-2.0
#include "harness/campaign/night_pairs.h"

#include <gmock/gmock.h>

namespace stepbench::campaign {
namespace {

TEST(OddCases, LeftoverComesFirst) {
  const OddCase left{.case_id = "left", .oddness = -1.2, .left_before = true};
  const OddCase worse{.case_id = "worse", .oddness = 2};
  const OddCase much_worse{.case_id = "much worse", .oddness = 9};
  const OddCase better{.case_id = "better", .oddness = -30};
  EXPECT_TRUE(comes_before(left, much_worse));
  EXPECT_TRUE(comes_before(much_worse, worse));
  EXPECT_TRUE(comes_before(worse, better));
  EXPECT_FALSE(comes_before(better, worse));
}

}  // namespace
}  // namespace stepbench::campaign
