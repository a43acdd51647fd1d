// SPDX-License-Identifier: Apache-2.0
#include "harness/text/nearest.h"

#include <gtest/gtest.h>

#include <vector>

namespace stepbench {
namespace {

const std::vector<std::string> kNames = {"num_workers", "prefetch_factor", "pin_memory", "seed"};

TEST(EditDistance, CountsInsertDeleteReplaceAndSwap) {
  EXPECT_EQ(edit_distance("", "abc"), 3U);
  EXPECT_EQ(edit_distance("abc", "abc"), 0U);
  EXPECT_EQ(edit_distance("abc", "acb"), 1U);
  EXPECT_EQ(edit_distance("abc", "ac"), 1U);
  EXPECT_EQ(edit_distance("abc", "abxd"), 2U);
}

TEST(Nearest, FindsTypingMistakes) {
  EXPECT_EQ(nearest("num_wrokers", kNames), "num_workers");
  EXPECT_EQ(nearest("NumWorkers", kNames), "num_workers");
  EXPECT_EQ(nearest("pin-memory", kNames), "pin_memory");
  EXPECT_EQ(nearest("sead", kNames), "seed");
}

TEST(Nearest, FindsPartsOfNames) {
  EXPECT_EQ(nearest("workers", kNames), "num_workers");
  EXPECT_EQ(nearest("prefetch", kNames), "prefetch_factor");
}

TEST(Nearest, IsSilentWhenNothingIsClose) {
  EXPECT_EQ(nearest("xyzzy", kNames), "");
  EXPECT_EQ(nearest("", kNames), "");
  EXPECT_EQ(nearest(std::string(100'000, 'x'), kNames), "");
  EXPECT_EQ(did_you_mean("xyzzy", kNames), "");
}

}  // namespace
}  // namespace stepbench
