// SPDX-License-Identifier: Apache-2.0
#include "harness/document/render.h"
#include "harness/document/document.h"
#include "tests/testing.h"

namespace stepbench::document {
namespace {

Document page_of(std::vector<Block> blocks) {
  return {
      .headline = "a run", .chapters = {{.id = "a", .title = "A", .blocks = blocks}}, .marker = ""};
}

Table steps() {
  return {.title = "steps",
          .columns = {words("case"), {.head = "step", .unit = "ms"}},
          .rows = {{.cells = {"a", "12.5"}},
                   {.cells = {"b"}, .tone = Tone::kBad, .instead = "failed: why"}}};
}

TEST(Text, TitledBlock_HasAGapAbove) {
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

TEST(Text, AnswerWithDoubts_ComesFirst) {
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
  EXPECT_EQ(doubts_line(page.answer), "doubts: a; b; c; 3 more below");
}

TEST(Text, LongPage_RepeatsTheAnswer) {
  Document page = page_of(std::vector<Block>(60, Paragraph{"line"}));
  page.answer = {.text = "a is best", .doubts = {"why not"}};
  const std::string text = render_text(page, 80, false);
  EXPECT_TRUE(text.starts_with("a is best\ndoubts: why not\n\na run\n"));
  EXPECT_TRUE(text.ends_with("line\n\na is best\n"));
}

TEST(Text, TableWithoutRows_IsEmpty) {
  Table table = steps();
  table.rows.clear();
  EXPECT_EQ(render_text(page_of({table}), 80, false), "a run\n");
}

TEST(Text, TableWithoutHeads_IsItsRows) {
  const Table table{.columns = {words(""), words("")}, .rows = {{{"key", "value"}}}};
  EXPECT_EQ(draw(table, 80, false).text, "key  value\n");
}

TEST(Text, Tone_HasAColour) {
  const std::string text =
      render_text(page_of({Paragraph{"bad", Tone::kBad}, Paragraph{"doubt", Tone::kDoubt},
                           Paragraph{"good", Tone::kGood}, Paragraph{"plain"}}),
                  80, true);
  EXPECT_EQ(text, "a run\n\x1b[31mbad\x1b[0m\n\x1b[33mdoubt\x1b[0m\n\x1b[32mgood\x1b[0m\nplain\n");
}

TEST(Text, LongLines_AreWrapped) {
  EXPECT_EQ(render_text(page_of({Paragraph{"aaaa bbbb\n cccc"}}), 10, false),
            "a run\naaaa\n  bbbb\\n\n  cccc\n");
}

TEST(Text, Commands_AreNotWrapped) {
  EXPECT_EQ(
      render_text(page_of({Paragraph{"a", Tone::kPlain, {{"try: a b c d e", true}, "a b c d"}}}), 8,
                  false),
      "a run\na\n  try: a b c d e\n  a b c\n  d\n");
}

TEST(Text, VerbatimText_KeepsItsLines) {
  EXPECT_EQ(render_text(page_of({Verbatim{"Output", "a\nb\x1b[0m\n"}}), 80, false),
            "a run\n\nOutput\n  a\n  b\\x1b[0m\n");
}

TEST(Text, Figure_IsItsText) {
  EXPECT_EQ(
      render_text(page_of({Figure{.title = "Steps", .alt = "they fall", .json = "{}"}}), 80, false),
      "a run\n\nSteps\nthey fall\n");
}

TEST(Text, NarrowTable_CutsThenDropsColumns) {
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
  EXPECT_NE(render(document, {.columns = 20}).find("columns left out:"), std::string::npos);
  document.all_columns_in = "--format markdown";
  EXPECT_NE(render(document, {.columns = 20}).find("markdown"), std::string::npos);
}

TEST(Text, WrappingColumn_LosesNoWord) {
  const Table table{
      .columns =
          {{.head = "case"},
           {.head = "verdict", .left = true, .shrink_at = 1, .shrink_to = 14, .wraps = true}},
      .rows = {{{"a", "inconclusive: may be chance"}}, {{"b", "ok"}}}};
  EXPECT_EQ(draw(table, 80, false).text,
            "case  verdict\n"
            "─────────────────────────────────\n"
            "   a  inconclusive: may be chance\n"
            "   b  ok\n");
  EXPECT_EQ(draw(table, 20, false).text,
            "case  verdict\n"
            "───────────────────\n"
            "   a  inconclusive:\n"
            "      may be chance\n"
            "   b  ok\n");
}

TEST(Text, CutCells_StayDistinct) {
  const auto drawn = [](std::vector<TableRow> rows) {
    return draw({.columns = {{.head = "name", .left = true, .shrink_at = 1, .shrink_to = 4}},
                 .rows = std::move(rows)},
                16, false)
        .text;
  };
  EXPECT_NE(drawn({{{"one of many benchmarks"}}, {{"two of many benchmarks"}}}).find("one of many"),
            std::string::npos);
  const std::string ends = drawn({{{"asv benchmark=benchmark.load.time_small"}},
                                  {{"asv benchmark=benchmark.load.time_large"}}});
  EXPECT_NE(ends.find("time_small"), std::string::npos) << ends;
  EXPECT_NE(ends.find("time_large"), std::string::npos) << ends;
  const std::string inside = drawn({{{"benchmark=suite.Alpha.time_of_loading"}},
                                    {{"benchmark=suite.Beta.time_of_loading"}},
                                    {{"benchmark=suite.Beta.time_of_sorting"}}});
  for (const char* part : {"Alpha", "Beta", "sorting"}) {
    EXPECT_NE(inside.find(part), std::string::npos) << inside;
  }
}

TEST(Table, CellsAndHeads_ArePrintable) {
  const Table table{.columns = {{.head = "a\x1b"}, {.head = "b"}},
                    .rows = {{.cells = {"x\ny", "\xFF"}}, {.cells = {}, .instead = "why\x07"}}};
  const std::string text = draw(table, 100, false).text + markdown_table(table) +
                           align({{"head\x1b", "n"}, {"x\ny", "1"}});
  for (const char c : text) EXPECT_TRUE(c == '\n' || static_cast<unsigned char>(c) >= 0x20);
  EXPECT_NE(text.find("x\\ny"), std::string::npos);
  EXPECT_NE(text.find("why\\x07"), std::string::npos);
}

TEST(Align, Numbers_AreRightAligned) {
  EXPECT_EQ(align({{"#", "case", "größe"}, {"1", "a", "10"}, {"12", "bcd", "-"}}),
            " #  case  größe\n 1  a        10\n12  bcd       -\n");
  EXPECT_EQ(align({{"a", "b"}}), "a  b\n");
  EXPECT_EQ(align({}), "");
}

TEST(Bar, Share_IsDrawnInEighths) {
  EXPECT_EQ(bar(0.5, 4), "██");
  EXPECT_EQ(bar(1.0 / 32, 4), "▏");
  EXPECT_EQ(bar(7, 2), "██");
}

std::string markdown_of(std::vector<Block> blocks) {
  return render_markdown(
      {.chapters = {{.id = "a", .title = "A", .blocks = std::move(blocks)}}, .marker = ""});
}

TEST(Markdown, MarkerAndHeadline_ComeFirst) {
  EXPECT_EQ(render_markdown({.headline = "a <b>", .marker = "stepbench-verdict"}),
            "<!-- stepbench-verdict -->\n### a &lt;b>\n\n");
}

TEST(Markdown, Paragraphs_AreLists) {
  const Table table{.title = "steps",
                    .subtitle = "window x",
                    .columns = {words("case"), {.head = "step", .unit = "ms"}},
                    .rows = {{{"a|b", "1"}}, {.cells = {"c"}, .instead = "failed"}}};
  EXPECT_EQ(markdown_of({Paragraph{"one", Tone::kBad, {"why"}}, table, Paragraph{"two"}}),
            "- one\n"
            "  - why\n"
            "\n"
            "**steps** (window x)\n"
            "\n"
            "| case | step [ms] |\n"
            "|---|---:|\n"
            "| a\\|b | 1 |\n"
            "| c | failed |\n"
            "\n"
            "- two\n");
}

TEST(Markdown, VerbatimText_CannotEndItsFence) {
  EXPECT_EQ(markdown_of({Verbatim{"Output", "a\n```\n"}}), "**Output**\n\n````\na\n```\n````\n");
  EXPECT_EQ(markdown_of({Verbatim{.title = "More", .text = "a", .folded = true}}),
            "<details><summary>More</summary>\n\n```\na\n```\n\n</details>\n");
}

std::string html_of(std::vector<Block> blocks) {
  std::string html;
  HtmlChapters chapters(html, {});
  chapters.add({.id = "a", .title = "A", .blocks = std::move(blocks)});
  return html;
}

TEST(Html, Table_SortsByItsNumbers) {
  const std::string html =
      html_of({Table{.title = "cases",
                     .columns = {words("case"), {.head = "step", .unit = "ms"}},
                     .rows = {{.cells = {"a", {"12.5 *", 12.5}}, .tone = Tone::kGood},
                              {.cells = {"b"}, .tone = Tone::kBad, .instead = "failed: why"}}}});
  EXPECT_THAT(html, HasSubstr("<h3 id=\"table-1-title\">Cases</h3>"));
  EXPECT_THAT(html, HasSubstr("<th scope=\"col\" class=\"number\">step [ms]</th>"
                              "<th scope=\"col\">note</th>"));
  EXPECT_THAT(html, HasSubstr("<tr class=\"good\"><td>a</td><td data-v=\"12.5\">12.5 *</td>"));
  EXPECT_THAT(html, HasSubstr("<tr class=\"bad\"><td>b</td><td class=\"number\"></td>"
                              "<td>failed: why</td>"));
}

TEST(Html, RightAlignedText_IsNoNumber) {
  EXPECT_THAT(html_of({Table{.columns = {{.head = "pin_memory"}}, .rows = {{{"true"}}}}}),
              HasSubstr("<th scope=\"col\">pin_memory</th>"));
}

TEST(Html, UntitledTable_UsesItsChaptersTitle) {
  const std::string html = html_of({Table{.columns = {words("a")}, .rows = {{{"b"}}}}});
  EXPECT_THAT(html, HasSubstr("aria-labelledby=\"a-title\">\n<table"));
  EXPECT_THAT(html, Not(HasSubstr("<h3")));
}

TEST(Html, Tone_IsAlsoInHiddenText) {
  const std::string html = html_of({Paragraph{"slower <b>", Tone::kBad, {"why"}}});
  EXPECT_THAT(html, HasSubstr("<p class=\"bad\"><span class=\"unseen\">Problem: </span>"
                              "slower &lt;b&gt;\n  why</p>"));
}

TEST(Html, Link_IsTheWebOrAPageOnly) {
  const auto cell = [](const std::string& link) {
    return html_of({Table{.columns = {words("a")}, .rows = {{{linked("b", link)}}}}});
  };
  EXPECT_THAT(cell("https://e.org/?a=1&b"),
              HasSubstr("<a href=\"https://e.org/?a=1&amp;b\">b</a>"));
  EXPECT_THAT(cell("series-1.html"), HasSubstr("<a href=\"series-1.html\">b</a>"));
  for (const char* link :
       {"", "javascript:alert(1)", "//e.org", "../up.html", "data:text/html,x"}) {
    EXPECT_THAT(cell(link), Not(HasSubstr("<a"))) << link;
  }
  Line line("commit 1");
  line.link = "https://e.org/1\"><b>";
  EXPECT_THAT(html_of({Paragraph{.text = "between", .below = {line}}}),
              HasSubstr("<a href=\"https://e.org/1&quot;&gt;&lt;b&gt;\">commit 1</a>"));
}

void expect(const Cell& cell, const std::string& text, std::optional<double> value) {
  EXPECT_EQ(cell.text, text);
  EXPECT_EQ(cell.value, value) << text;
}

TEST(Cells, FormattedNumber_KeepsItsValue) {
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

TEST(Cells, MissingNumber_IsADash) {
  expect(number(std::nullopt), "-", std::nullopt);
  expect(duration(std::nan("")), "-", std::nullopt);
  expect(share(1, 0), "-", std::nullopt);
}

TEST(Cells, TooShortForTheUnit_IsLessThan) {
  const text::TimeUnit seconds{.name = "s", .ns = 1e9};
  expect(time(1e5, seconds), "<0.001", 1e5);
  expect(time(1e9, seconds), "1.00", 1e9);
}

TEST(Projection, HiddenOrEmptyColumn_IsOmitted) {
  const std::vector<int> rows = {1, 2};
  const auto table = [&](bool shown, const std::string& note) {
    return project<int>(rows,
                        {{{.head = "n"}, [](int n) { return count(n); }},
                         {{.head = "twice"}, [](int n) { return count(2 * n); }, shown},
                         {.column = words("note"),
                          .cell = [&](int n) { return n == 1 ? note : ""; },
                          .if_filled = true}},
                        [](int n) { return n == 2 ? Tone::kBad : Tone::kPlain; });
  };
  const Table whole = table(true, "odd");
  EXPECT_EQ(draw(whole, 80, false).text,
            "n  twice  note\n"
            "──────────────\n"
            "1      2  odd\n"
            "2      4\n");
  EXPECT_EQ(whole.rows[1].tone, Tone::kBad);
  EXPECT_EQ(draw(table(false, ""), 80, false).text, "n\n─\n1\n2\n");
}

TEST(Tables, EmptyColumn_IsDropped) {
  Table table{.columns = {words("metric"), words("by")}, .rows = {{{"a", ""}}, {{"b"}}}};
  drop_if_empty(table, 1);
  ASSERT_EQ(table.columns.size(), 1U);
  EXPECT_EQ(table.rows[0].cells.size(), 1U);
  drop_if_empty(table, 0);
  EXPECT_EQ(table.columns.size(), 1U) << "it has words";
}

TEST(Paragraphs, IndentedLines_AreAttached) {
  const std::vector<Paragraph> made = paragraphs_of({"cause", "  gain", "  try", "note"});
  ASSERT_EQ(made.size(), 2U);
  ASSERT_EQ(made[0].below.size(), 2U);
  EXPECT_EQ(made[0].below[1].text, "try");
  EXPECT_EQ(made[1].text, "note");
  EXPECT_EQ(lines_of(made), (std::vector<std::string>{"cause", "  gain", "  try", "note"}));
}

}  // namespace
}  // namespace stepbench::document
