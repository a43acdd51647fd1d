// SPDX-License-Identifier: Apache-2.0
#include "harness/bisect/search.h"

#include <gtest/gtest.h>

namespace stepbench::bisect {
namespace {

// Judges what is asked, with a culprit at this place; how many it took.
std::size_t judged_until_named(Search& search, std::size_t culprit) {
  std::size_t judged = 0;
  while (const auto place = search.next()) {
    search.take(*place, *place >= culprit ? Side::kBad : Side::kGood);
    ++judged;
  }
  return judged;
}

TEST(Search, NamesEveryCulpritWithTheFewestCommitsJudged) {
  for (std::size_t culprit = 1; culprit <= 32; ++culprit) {
    Search search(32);
    EXPECT_EQ(judged_until_named(search, culprit), 5U) << culprit;
    EXPECT_TRUE(search.named());
    EXPECT_EQ(search.bad(), culprit);
  }
}

TEST(Search, OfTwoNeighboursNeedsNothing) {
  Search search(1);
  EXPECT_EQ(search.next(), std::nullopt);
  EXPECT_TRUE(search.named());
}

TEST(Search, GoesAroundACommitThatCannotBeJudged) {
  for (std::size_t broken = 1; broken < 16; ++broken) {
    for (std::size_t culprit = 1; culprit <= 16; ++culprit) {
      Search search(16);
      while (const auto place = search.next()) {
        search.take(*place, *place == broken    ? Side::kOpen
                            : *place >= culprit ? Side::kBad
                                                : Side::kGood);
      }
      EXPECT_LT(search.good(), culprit);
      EXPECT_GE(search.bad(), culprit);
      // Hidden only where the broken one stands at the culprit.
      const bool hidden = broken == culprit || broken + 1 == culprit;
      EXPECT_EQ(search.named(), !hidden) << broken << ' ' << culprit;
    }
  }
}

TEST(Search, TellsWhatMayBeNeededNext) {
  const Search search(16);
  EXPECT_EQ(search.ahead(3), (std::vector<std::size_t>{8, 12, 4}));
  EXPECT_EQ(search.ahead(1), std::vector<std::size_t>{8});
  EXPECT_EQ(Search(3).ahead(9).size(), 2U);
  EXPECT_TRUE(Search(1).ahead(4).empty());
}

TEST(Search, LeavesTheWholeRangeWhereNothingBuilds) {
  Search search(5);
  while (const auto place = search.next()) search.take(*place, Side::kOpen);
  EXPECT_EQ(search.good(), 0U);
  EXPECT_EQ(search.bad(), 5U);
  EXPECT_FALSE(search.named());
}

}  // namespace
}  // namespace stepbench::bisect
