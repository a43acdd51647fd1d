// SPDX-License-Identifier: Apache-2.0
#include "harness/campaign/internal/nightly_experiment.h"

#include "tests/testing.h"

namespace stepbench::campaign {
namespace {

TEST(OddCases, Leftover_ComesFirst) {
  const SuspectCase left{.case_id = "left", .deviation = -1.2, .left_before = true};
  const SuspectCase worse{.case_id = "worse", .deviation = 2};
  const SuspectCase much_worse{.case_id = "much worse", .deviation = 9};
  const SuspectCase better{.case_id = "better", .deviation = -30};
  EXPECT_TRUE(comes_before(left, much_worse));
  EXPECT_TRUE(comes_before(much_worse, worse));
  EXPECT_TRUE(comes_before(worse, better));
  EXPECT_FALSE(comes_before(better, worse));
}

}  // namespace
}  // namespace stepbench::campaign
