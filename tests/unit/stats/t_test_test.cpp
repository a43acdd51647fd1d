// SPDX-License-Identifier: Apache-2.0
#include "harness/stats/t_test.h"

#include <gtest/gtest.h>

#include <vector>

namespace stepbench {
namespace {

TEST(TTest, WithoutVarianceDecidesByTheMeans) {
  const std::vector<double> two{2, 2, 2};
  const std::vector<double> three{3, 3, 3};
  EXPECT_EQ(welch(two, two).p_two_sided, 1);
  EXPECT_EQ(welch(two, three).p_two_sided, 0);
  EXPECT_EQ(student(two, two).p_two_sided, 1);
  EXPECT_EQ(student(two, three).p_two_sided, 0);
}

TEST(TTest, OfOneValueClaimsNothing) {
  EXPECT_EQ(welch(std::vector{1.0}, std::vector{2.0, 3.0}).p_two_sided, 1);
  EXPECT_EQ(student({}, std::vector{2.0, 3.0}).p_two_sided, 1);
}

}  // namespace
}  // namespace stepbench
