// SPDX-License-Identifier: Apache-2.0
#include "harness/report/html/grid_table.h"

#include <gtest/gtest.h>

namespace stepbench::report {
namespace {

TEST(GridTable, ACellIsSortedByTheNumberItBeginsWith) {
  EXPECT_EQ(cell_number("1,230"), 1230);
  EXPECT_EQ(cell_number("12,345,678.5"), 12345678.5);
  EXPECT_EQ(cell_number("1.31x *"), 1.31);
  EXPECT_EQ(cell_number("[52.6, 53.4]"), 52.6);
  EXPECT_EQ(cell_number("+2.50 %"), 2.5);
  EXPECT_EQ(cell_number("-0.5"), -0.5);
  EXPECT_EQ(cell_number("1.50 GiB"), 1.5 * 1024 * 1024 * 1024);
  EXPECT_EQ(cell_number("3 ms"), 3e6);
  for (const char* text : {"-", "", "false", "n=5 [1, 2]", "1.2.3"}) {
    EXPECT_EQ(cell_number(text), std::nullopt) << text;
  }
}

}  // namespace
}  // namespace stepbench::report
