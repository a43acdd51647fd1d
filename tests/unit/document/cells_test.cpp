// SPDX-License-Identifier: Apache-2.0
#include "harness/document/cells.h"

#include <gtest/gtest.h>

#include <cmath>

#include "harness/document/document.h"

namespace stepbench::document {
namespace {

void expect(const Cell& cell, const std::string& text, std::optional<double> value) {
  EXPECT_EQ(cell.text, text);
  EXPECT_EQ(cell.value, value) << text;
}

TEST(Cells, HoldTheNumberThatTheirWordsAreMadeOf) {
  expect(number(12.34), "12.3", 12.34);
  expect(count(12'345), "12,345", 12'345);
  expect(duration(2.5e6), "2.50 ms", 2.5e6);
  expect(signed_duration(-2.5e6), "-2.50 ms", -2.5e6);
  expect(bytes(1.5 * 1024 * 1024), "1.50 MiB", 1.5 * 1024 * 1024);
  expect(percent(0.123), "12.3", 0.123);
  expect(share(1, 4), "25.0", 0.25);
  expect(percent_text(0.0025), "0.25 %", 0.0025);
  expect(change(-0.0123), "-1.23 %", -0.0123);
}

TEST(Cells, OfNoNumberAreADash) {
  expect(number(std::nullopt), "-", std::nullopt);
  expect(duration(std::nan("")), "-", std::nullopt);
  expect(share(1, 0), "-", std::nullopt);
}

TEST(Cells, OfTooLittleTimeForTheUnitSaySo) {
  const text::TimeUnit seconds{.name = "s", .ns = 1e9};
  expect(time(1e5, seconds), "<0.001", 1e5);
  expect(time(1e9, seconds), "1.00", 1e9);
}

TEST(Tables, LoseAColumnInWhichNoRowHasWords) {
  Table table{.columns = {words("metric"), words("by")}, .rows = {{{"a", ""}}, {{"b"}}}};
  drop_if_empty(table, 1);
  ASSERT_EQ(table.columns.size(), 1U);
  EXPECT_EQ(table.rows[0].cells.size(), 1U);
  drop_if_empty(table, 0);
  EXPECT_EQ(table.columns.size(), 1U) << "it has words";
}

TEST(Paragraphs, TakeTheLinesBelowThem) {
  const std::vector<Paragraph> made = paragraphs_of({"cause", "  gain", "  try", "note"});
  ASSERT_EQ(made.size(), 2U);
  ASSERT_EQ(made[0].below.size(), 2U);
  EXPECT_EQ(made[0].below[1].text, "try");
  EXPECT_EQ(made[1].text, "note");
  EXPECT_EQ(lines_of(made), (std::vector<std::string>{"cause", "  gain", "  try", "note"}));
}

}  // namespace
}  // namespace stepbench::document
