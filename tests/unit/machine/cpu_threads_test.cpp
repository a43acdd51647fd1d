// SPDX-License-Identifier: Apache-2.0
#include "harness/machine/cpu_threads.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace stepbench::machine {
namespace {

TEST(CrowdedThreads, AreMoreThreadsThanCores) {
  EXPECT_FALSE(crowded_threads(1, 2));
  EXPECT_FALSE(crowded_threads(2, 2));
  const auto finding = crowded_threads(8, 2);
  ASSERT_TRUE(finding);
  EXPECT_EQ(finding->id, "threads.oversubscribed");
  EXPECT_EQ(finding->value, 8);
  EXPECT_EQ(finding->threshold, 2);
  EXPECT_THAT(finding->text, ::testing::HasSubstr("8 threads share each operation, on 2 cores"));
  ASSERT_EQ(finding->set.size(), 1U);
  EXPECT_EQ(finding->set.front().value, "2");
}

}  // namespace
}  // namespace stepbench::machine
