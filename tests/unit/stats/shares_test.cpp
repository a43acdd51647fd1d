// SPDX-License-Identifier: Apache-2.0
// Expected values by scipy: fisher_exact, beta.ppf.
#include "harness/stats/shares.h"

#include <gtest/gtest.h>

#include <cmath>

namespace stepbench::stats {
namespace {

TEST(LargestShare, OfNoneSeenIsOneMinusARoot) {
  EXPECT_NEAR(largest_share(0, 10, 0.95), 1 - std::pow(0.05, 0.1), 1e-15);
  EXPECT_NEAR(largest_share(0, 40, 0.95), 0.0722, 1e-4);
  EXPECT_EQ(largest_share(0, 0, 0.95), 1);
}

TEST(LargestShare, OfSomeSeenIsClopperAndPearsons) {
  EXPECT_NEAR(largest_share(1, 40, 0.95), 0.11318836094473754, 1e-9);
  EXPECT_NEAR(largest_share(3, 20, 0.95), 0.3436638043142818, 1e-9);
  EXPECT_EQ(largest_share(5, 5, 0.95), 1);
}

TEST(FisherExact, AgreesWithScipy) {
  EXPECT_NEAR(fisher_exact_p(4, 40, 0, 40), 0.11556797632746996, 1e-9);
  EXPECT_NEAR(fisher_exact_p(0, 40, 4, 40), 0.11556797632746996, 1e-9);
  EXPECT_NEAR(fisher_exact_p(1, 20, 0, 20), 1, 1e-12);
  EXPECT_NEAR(fisher_exact_p(7, 10, 2, 10), 0.06977851869492736, 1e-9);
  EXPECT_NEAR(fisher_exact_p(0, 10, 0, 12), 1, 1e-12);
}

}  // namespace
}  // namespace stepbench::stats
