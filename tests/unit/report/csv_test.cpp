// SPDX-License-Identifier: Apache-2.0
// Cells of CSV and bytes in base64.
#include "harness/report/internal/csv.h"

#include "harness/report/internal/base64.h"
#include "tests/testing.h"

namespace stepbench::report {
namespace {

TEST(Csv, Cells_AreQuotedAndNoFormula) {
  EXPECT_EQ(csv_cell("=HYPERLINK(1)"), "'=HYPERLINK(1)");
  EXPECT_EQ(csv_cell("\uFF1DHYPERLINK(1)"), "'\uFF1DHYPERLINK(1)");
  EXPECT_EQ(csv_cell("=A1,B1"), "\"'=A1,B1\"");
  EXPECT_EQ(csv_cell("@sum"), "'@sum");
  EXPECT_EQ(csv_cell("+cmd"), "'+cmd");
  EXPECT_EQ(csv_cell("-x"), "'-x");
  for (const char* number : {"-1", "-1.5e-07", "+3", "-inf", "12"}) {
    EXPECT_EQ(csv_cell(number), number);
  }
  EXPECT_EQ(csv_cell("a\x1b\tb"), "a\\x1b\\tb");
  EXPECT_EQ(csv_cell("a\nb"), "\"a\nb\"");
  EXPECT_EQ(csv_cell("a\r\nb"), "\"a\\r\nb\"");
  EXPECT_EQ(csv_cell("a b"), "a b");
  EXPECT_EQ(csv_cell("a,b"), "\"a,b\"");
  EXPECT_EQ(csv_cell("say \"x\""), "\"say \"\"x\"\"\"");
}

TEST(Base64, Padding_IsAsInTheRfc) {
  EXPECT_EQ(base64(std::string_view("")), "");
  EXPECT_EQ(base64(std::string_view("f")), "Zg==");
  EXPECT_EQ(base64(std::string_view("fo")), "Zm8=");
  EXPECT_EQ(base64(std::string_view("foobar")), "Zm9vYmFy");
  EXPECT_EQ(base64(std::string_view("\xFF\xFE\x00", 3)), "//4A");
}

}  // namespace
}  // namespace stepbench::report
