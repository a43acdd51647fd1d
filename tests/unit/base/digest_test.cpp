// SPDX-License-Identifier: Apache-2.0
#include "harness/base/digest.h"

#include <gtest/gtest.h>

namespace stepbench {
namespace {

TEST(Digest, NeverChanges) {
  EXPECT_EQ(digest(""), "99aa06d3014798d8");
  EXPECT_EQ(digest("abc"), "06b05ab6733a6185");
  EXPECT_NE(digest("abd"), digest("abc"));
}

}  // namespace
}  // namespace stepbench
