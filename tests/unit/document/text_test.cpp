// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "harness/document/render.h"
#include "harness/document/render_markdown.h"
#include "harness/document/render_text.h"

namespace stepbench::document {
namespace {

Document page_of(std::vector<Block> blocks) {
  return {.headline = "a run", .chapters = {{.id = "a", .title = "A", .blocks = blocks}}};
}

Table steps() {
  return {.title = "steps",
          .columns = {words("case"), {.head = "step", .unit = "ms"}},
          .rows = {{.cells = {"a", "12.5"}},
                   {.cells = {"b"}, .tone = Tone::kBad, .instead = "failed: why"}}};
}

TEST(Text, LeavesAGapAboveWhatHasATitle) {
  EXPECT_EQ(render_text(page_of({Paragraph{"one"}, steps(), Paragraph{"two", Tone::kBad, {"why"}},
                                 Heading{"more", "window x"}, Paragraph{"three"}}),
                        80, false),
            "a run\n"
            "one\n"
            "\n"
            "steps\n"
            "case  step [ms]\n"
            "───────────────\n"
            "a          12.5\n"
            "b     failed: why\n"
            "two\n"
            "  why\n"
            "\n"
            "more; window x\n"
            "three\n");
}

TEST(Text, BeginsWithTheAnswerAndItsDoubts) {
  Document page = page_of({Paragraph{"one"}});
  page.answer = {.text = "a is best", .tone = Tone::kGood};
  EXPECT_EQ(render_text(page, 80, false), "a is best\n\na run\none\n");
  add_doubts(page.answer, {{.text = "long", .doubt = "waited 62 %"},
                           {.text = "none"},
                           {.text = "again", .doubt = "waited 62 %"},
                           {.text = "more", .doubt = "1 of 6 failed"}});
  EXPECT_EQ(render_text(page, 80, true),
            "\x1b[32ma is best\x1b[0m\n\x1b[33mdoubts: waited 62 %; 1 of 6 failed\x1b[0m\n\n"
            "a run\none\n");
  EXPECT_EQ(render_markdown(page),
            "### a run\n\n**a is best**\n\ndoubts: waited 62 %; 1 of 6 failed\n\n- one\n");
  page.answer.doubts = {"a", "b", "c", "d", "e", "f"};
  EXPECT_EQ(doubts_line(page.answer), "doubts: a; b; c; d; 2 more below");
}

TEST(Text, OfMoreThanAScreenEndsWithTheAnswerToo) {
  Document page = page_of(std::vector<Block>(60, Paragraph{"line"}));
  page.answer = {.text = "a is best", .doubts = {"why not"}};
  const std::string text = render_text(page, 80, false);
  EXPECT_TRUE(text.starts_with("a is best\ndoubts: why not\n\na run\n"));
  EXPECT_TRUE(text.ends_with("line\n\na is best\n"));
}

TEST(Text, OfATableWithoutRowsIsNothing) {
  Table table = steps();
  table.rows.clear();
  EXPECT_EQ(render_text(page_of({table}), 80, false), "a run\n");
}

TEST(Text, OfATableWithoutHeadsIsItsRows) {
  const Table table{.columns = {words(""), words("")}, .rows = {{{"key", "value"}}}};
  EXPECT_EQ(draw(table, 80, false).text, "key  value\n");
}

TEST(Text, HasTheColourOfWhatItMeans) {
  const std::string text =
      render_text(page_of({Paragraph{"bad", Tone::kBad}, Paragraph{"doubt", Tone::kDoubt},
                           Paragraph{"good", Tone::kGood}, Paragraph{"plain"}}),
                  80, true);
  EXPECT_EQ(text, "a run\n\x1b[31mbad\x1b[0m\n\x1b[33mdoubt\x1b[0m\n\x1b[32mgood\x1b[0m\nplain\n");
}

TEST(Text, BreaksLongLinesAndKeepsOthersTextVisible) {
  EXPECT_EQ(render_text(page_of({Paragraph{"aaaa bbbb\n cccc"}}), 10, false),
            "a run\naaaa\n  bbbb\\n\n  cccc\n");
}

TEST(Text, LeavesCommandsWhole) {
  EXPECT_EQ(
      render_text(page_of({Paragraph{"a", Tone::kPlain, {{"try: a b c d e", true}, "a b c d"}}}), 8,
                  false),
      "a run\na\n  try: a b c d e\n  a b c\n  d\n");
}

TEST(Text, KeepsTheLinesOfVerbatimText) {
  EXPECT_EQ(render_text(page_of({Verbatim{"Output", "a\nb\x1b[0m\n"}}), 80, false),
            "a run\n\nOutput\n  a\n  b\\x1b[0m\n");
}

TEST(Text, OfAFigureIsItsWords) {
  EXPECT_EQ(
      render_text(page_of({Figure{.title = "Steps", .alt = "they fall", .json = "{}"}}), 80, false),
      "a run\n\nSteps\nthey fall\n");
}

TEST(Text, CutsThenDropsColumnsUntilTheTableFitsAndSaysSo) {
  Table table{.columns = {{.head = "name", .left = true, .shrink_at = 1, .shrink_to = 4},
                          {.head = "dropped before all others", .drop_at = 2}},
              .rows = {{{"a long name", "1"}}}};
  const DrawnTable wide = draw(table, 80, false);
  EXPECT_TRUE(wide.dropped.empty());
  EXPECT_NE(wide.text.find("a long name"), std::string::npos);
  const DrawnTable narrow = draw(table, 10, false);
  EXPECT_EQ(narrow.dropped, std::vector<std::string>{"dropped before all others"});
  EXPECT_EQ(narrow.text.find("a long name"), std::string::npos);
  Document document = page_of({table});
  EXPECT_NE(render(document, {.columns = 20}).find("no room for: dropped"), std::string::npos);
  document.all_columns_in = "--format markdown";
  EXPECT_NE(render(document, {.columns = 20}).find("markdown"), std::string::npos);
}

TEST(Table, HasEveryCellAndHeadPrintable) {
  const Table table{.columns = {{.head = "a\x1b"}, {.head = "b"}},
                    .rows = {{.cells = {"x\ny", "\xFF"}}, {.cells = {}, .instead = "why\x07"}}};
  const std::string text = draw(table, 100, false).text + markdown_table(table) +
                           align({{"head\x1b", "n"}, {"x\ny", "1"}});
  for (const char c : text) EXPECT_TRUE(c == '\n' || static_cast<unsigned char>(c) >= 0x20);
  EXPECT_NE(text.find("x\\ny"), std::string::npos);
  EXPECT_NE(text.find("why\\x07"), std::string::npos);
}

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

}  // namespace
}  // namespace stepbench::document
