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

TEST(GridTable, WhatStandsInPlaceOfNumbersGetsAColumn) {
  const text::Grid grid{
      .columns = {{.head = "case", .align = text::Align::kLeft}, {.head = "step"}},
      .rows = {{.cells = {"a", "12.5"}, .tint = text::Tint::kBest},
               {.cells = {"b"}, .tint = text::Tint::kFailed, .instead = "failed: why"}}};
  const PageTable table = page_table(grid, "Cases");
  ASSERT_EQ(table.columns.size(), 3U);
  EXPECT_FALSE(table.columns[0].number);
  EXPECT_TRUE(table.columns[1].number);
  EXPECT_EQ(table.columns[2].head, "note");
  EXPECT_EQ(table.rows[0][1].value, 12.5);
  EXPECT_EQ(table.rows[1][1].value, std::nullopt);
  EXPECT_EQ(table.rows[1][2].text, "failed: why");
  EXPECT_EQ(table.tones, (std::vector<Tone>{Tone::kGood, Tone::kBad}));
}

TEST(GridTable, WordsToTheRightAreNoNumbers) {
  const text::Grid grid{.columns = {{.head = "pin_memory"}}, .rows = {{{"true"}}, {{"false"}}}};
  EXPECT_FALSE(page_table(grid, "").columns[0].number);
}

}  // namespace
}  // namespace stepbench::report
