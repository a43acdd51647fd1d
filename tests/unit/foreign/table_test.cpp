// SPDX-License-Identifier: Apache-2.0
#include "harness/foreign/table.h"

#include <gmock/gmock.h>

#include "harness/base/error.h"

namespace stepbench::foreign {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::SizeIs;

std::string error_of(const std::function<void()>& call) {
  try {
    call();
  } catch (const ConfigError& error) {
    return error.what();
  }
  return "no error";
}

TEST(CsvTable, CellsMayBeQuotedAndSeparatedInThreeWays) {
  const ForeignTable table =
      csv_table("\xEF\xBB\xBFtime; name ;ms\r\n1;\"a;\"\"b\"\"\";2\r\n\n2;c;3\n", "n.csv");
  EXPECT_THAT(table.columns, ElementsAre("time", "name", "ms"));
  ASSERT_THAT(table.rows, SizeIs(2));
  EXPECT_THAT(table.rows[0].cells, ElementsAre("1", "a;\"b\"", "2"));
  EXPECT_EQ(table.rows[1].where, "n.csv:4");
  EXPECT_THAT(csv_table("a\tb\n1\t2", "n").rows[0].cells, ElementsAre("1", "2"));
}

TEST(CsvTable, SaysOnWhichLineItIsNoTable) {
  const auto read = [](const char* text) {
    return error_of([&] { (void)csv_table(text, "n.csv"); });
  };
  EXPECT_EQ(read("a,b\n1,2\n3\n"), "n.csv:3: has 1 cell, and the head (n.csv:1) has 2");
  EXPECT_EQ(read("a,b\n1,\"2\n3\n"), "n.csv:2: a quotation mark that opens a cell is never closed");
  EXPECT_THAT(read("a,b\n\"1\"x,2\n"), HasSubstr("n.csv:2: text stands behind the quotation mark"));
  EXPECT_THAT(read("\n\n"), HasSubstr("is empty"));
}

TEST(CsvTable, LinesInsideACellCount) {
  EXPECT_EQ(csv_table("a,b\n\"x\ny\",2\n3,4\n", "n").rows[1].where, "n:4");
}

TEST(Table, AnUnknownColumnNamesTheNearest) {
  const ForeignTable table = csv_table("time,metric1\n", "n.csv");
  EXPECT_EQ(error_of([&] { (void)table.column("metrc1", "--value-column"); }),
            "--value-column: n.csv:1 has no column 'metrc1' (did you mean 'metric1'?); there are "
            "time, metric1");
}

TEST(JsonTable, RowsNumbersAndColumnsAreTables) {
  const ForeignTable rows =
      json_table(R"([{"time": "2026-01-31", "ms": 1.5}, {"ms": NaN}])", "n.json", {});
  EXPECT_THAT(rows.columns, ElementsAre("ms", "time"));
  EXPECT_THAT(rows.rows[0].cells, ElementsAre("1.5", "2026-01-31"));
  EXPECT_THAT(rows.rows[1].cells, ElementsAre("", ""));
  const ForeignTable numbers = json_table("[1, null, 3]", "n.json", {});
  EXPECT_THAT(numbers.columns, ElementsAre("value"));
  EXPECT_THAT(numbers.rows, SizeIs(3));
  const std::vector<std::string> wanted = {"series"};
  const ForeignTable columns = json_table(
      R"({"cases": [{}], "n": 3, "series": [1, 2, 3], "who": ["a", "b", "c"], "x": [1]})", "n.json",
      wanted);
  EXPECT_THAT(columns.columns, ElementsAre("series", "who"));
  EXPECT_THAT(columns.rows[2].cells, ElementsAre("3", "c"));
}

TEST(JsonTable, SaysWhereItIsNoJson) {
  EXPECT_THAT(error_of([] { (void)json_table("[1,\n 2,\n }", "n.json", {}); }),
              HasSubstr("n.json:3:2: is no JSON"));
  EXPECT_THAT(error_of([] { (void)json_table("[[1]]", "n.json", {}); }),
              HasSubstr("is JSON of no known form"));
}

TEST(Cells, GapsAndNumbersAreToldApart) {
  for (const char* gap : {"", "-", "NaN", "null", "N/A"}) EXPECT_TRUE(is_gap(gap)) << gap;
  EXPECT_FALSE(is_gap("0"));
  EXPECT_EQ(cell_number("+1.5e3"), 1500);
  for (const char* text : {"1,5", "1.5q", "inf", "0x10", ""}) {
    EXPECT_EQ(cell_number(text), std::nullopt) << text;
  }
}

}  // namespace
}  // namespace stepbench::foreign
