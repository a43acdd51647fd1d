// SPDX-License-Identifier: Apache-2.0
// What the history says of itself.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/structure/source_tree.h"

namespace stepbench::structure {
namespace {

TEST(Commits, OfLateHaveTitlesThatSayOneThing) {
  const std::vector<std::string> titles = lines_of_git(kRoot, "log -50 --no-merges --format=%s");
  if (titles.empty()) GTEST_SKIP() << "not a clone: git knows no commits here";
  for (const std::string& title : titles) {
    EXPECT_EQ(title.find(';'), std::string::npos) << title;
  }
}

}  // namespace
}  // namespace stepbench::structure
