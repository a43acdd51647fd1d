// SPDX-License-Identifier: Apache-2.0
#include "harness/text/printable.h"

#include <gtest/gtest.h>

#include "harness/json/json_text.h"
#include "harness/text/csv.h"
#include "harness/text/utf8.h"

namespace stepbench::text {
namespace {

TEST(Printable, MakesControlCharactersVisible) {
  EXPECT_EQ(printable("a\x1b[31mb"), "a\\x1b[31mb");
  EXPECT_EQ(printable(std::string("a\0b", 3)), "a\\x00b");
  EXPECT_EQ(printable("bell\x07 del\x7f"), "bell\\x07 del\\x7f");
  EXPECT_EQ(printable("one\r\n\ttwo"), "one\\r\\n\\ttwo");
  EXPECT_EQ(printable("one\r\n\ttwo", LineEnds::kKeep), "one\\r\n\\ttwo");
}

TEST(Printable, MakesVisibleWhatTurnsOrHidesText) {
  EXPECT_EQ(printable("\xC2\x9B"
                      "31m"),
            "\\u009b31m")
      << "C1";
  EXPECT_EQ(printable("a\u202Ecod.exe"), "a\\u202ecod.exe");
  EXPECT_EQ(printable("a\u2066b\u2069"), "a\\u2066b\\u2069");
  EXPECT_EQ(printable("a\u200Bb\uFEFF"), "a\\u200bb\\ufeff");
  EXPECT_EQ(printable("a\u2028b"), "a\\u2028b");
  EXPECT_EQ(printable("\U000E0041"), "\\ue0041");
}

TEST(Printable, LeavesTextOfAnyLanguageAlone) {
  for (const char* text : {"", "plain text", "größe 12 µs", "日本語", "→ … ─ ▏", "C:\\data"}) {
    EXPECT_EQ(printable(text), text);
  }
}

TEST(Printable, BytesThatAreNoUtf8BecomeTheReplacementCharacter) {
  EXPECT_EQ(printable("a\xFFz"), "a" + std::string(kReplacementCharacter) + "z");
  EXPECT_EQ(printable("\x9B"
                      "2J"),
            std::string(kReplacementCharacter) + "2J")
      << "a raw C1 byte";
}

TEST(Markdown, ACellCannotEndItselfOrBecomeMarkup) {
  EXPECT_EQ(markdown_cell("a|b\\c`d"), "a\\|b\\\\c\\`d");
  EXPECT_EQ(markdown_cell("<script>&"), "&lt;script&gt;&amp;");
  EXPECT_EQ(markdown_cell("two\nlines"), "two\\\\nlines");
  EXPECT_EQ(markdown_cell("[me](http://x)"), "[me]\\(http://x)");
  EXPECT_EQ(markdown_line("see `step`, <b>, [me](http://x), 12 -> 13"),
            "see `step`, &lt;b>, [me]\\(http://x), 12 -> 13");
}

TEST(Csv, ATextThatASpreadsheetWouldRunIsMarkedAsText) {
  EXPECT_EQ(csv_cell("=HYPERLINK(1)"), "'=HYPERLINK(1)");
  EXPECT_EQ(csv_cell("\uFF1DHYPERLINK(1)"), "'\uFF1DHYPERLINK(1)");
  EXPECT_EQ(csv_cell("=A1,B1"), "\"'=A1,B1\"");
  EXPECT_EQ(csv_cell("@sum"), "'@sum");
  EXPECT_EQ(csv_cell("+cmd"), "'+cmd");
  EXPECT_EQ(csv_cell("-x"), "'-x");
  for (const char* number : {"-1", "-1.5e-07", "+3", "-inf", "12"}) {
    EXPECT_EQ(csv_cell(number), number);
  }
}

TEST(Csv, ControlCharactersAreVisibleAndLineEndsQuoted) {
  EXPECT_EQ(csv_cell("a\x1b\tb"), "a\\x1b\\tb");
  EXPECT_EQ(csv_cell("a\nb"), "\"a\nb\"");
  EXPECT_EQ(csv_cell("a\r\nb"), "\"a\\r\nb\"");
}

TEST(Json, WritesWhatATerminalWouldObeyAsEscapes) {
  EXPECT_EQ(json::json_string("\x1b\x7f\n"), R"("\u001b\u007f\n")");
  EXPECT_EQ(json::json_string("\xC2\x9B\u202E"), R"("\u009b\u202e")");
  EXPECT_EQ(json::json_string("\U000E0041"), R"("\udb40\udc41")");
  EXPECT_EQ(json::json_string("größe"), "\"größe\"");
}

TEST(CsvCell, IsQuotedWhereItWouldBeSplit) {
  EXPECT_EQ(csv_cell("a b"), "a b");
  EXPECT_EQ(csv_cell("a,b"), "\"a,b\"");
  EXPECT_EQ(csv_cell("say \"x\""), "\"say \"\"x\"\"\"");
}

}  // namespace
}  // namespace stepbench::text
