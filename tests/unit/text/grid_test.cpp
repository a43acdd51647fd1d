// SPDX-License-Identifier: Apache-2.0
#include "harness/text/grid.h"

#include <gtest/gtest.h>

#include "harness/text/csv.h"

namespace stepbench::text {
namespace {

TEST(Align, PutsColumnsOfNumbersToTheRight) {
  EXPECT_EQ(align({{"#", "case", "größe"}, {"1", "a", "10"}, {"12", "bcd", "-"}}),
            " #  case  größe\n 1  a        10\n12  bcd       -\n");
  EXPECT_EQ(align({{"a", "b"}}), "a  b\n");
  EXPECT_EQ(align({}), "");
}

TEST(Bar, IsDrawnInEighths) {
  EXPECT_EQ(bar(0.5, 4), "██");
  EXPECT_EQ(bar(1.0 / 32, 4), "▏");
  EXPECT_EQ(bar(7, 2), "██");
}

TEST(Draw, CutsThenDropsColumnsUntilTheTableFits) {
  Grid grid;
  grid.columns = {{"name", Align::kLeft, 0, 1, 4}, {"dropped first", Align::kRight, 2}};
  grid.rows = {{{"a long name", "1"}}};
  const DrawnGrid wide = draw(grid, 80, false);
  EXPECT_TRUE(wide.dropped.empty());
  EXPECT_NE(wide.text.find("a long name"), std::string::npos);
  const DrawnGrid narrow = draw(grid, 10, false);
  EXPECT_EQ(narrow.dropped, std::vector<std::string>{"dropped first"});
  EXPECT_EQ(narrow.text.find("a long name"), std::string::npos);
}

TEST(CsvCell, IsQuotedWhereItWouldBeSplit) {
  EXPECT_EQ(csv_cell("a b"), "a b");
  EXPECT_EQ(csv_cell("a,b"), "\"a,b\"");
  EXPECT_EQ(csv_cell("say \"x\""), "\"say \"\"x\"\"\"");
}

}  // namespace
}  // namespace stepbench::text
