// SPDX-License-Identifier: Apache-2.0
#include "harness/report/html/page.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "harness/base/sha256.h"
#include "harness/document/render_html.h"
#include "harness/report/html/embedded.h"
#include "harness/text/base64.h"

namespace stepbench::report {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

Page page_of(std::vector<document::Block> blocks) {
  return {.title = "A <title>",
          .sections = {{.id = "sweep", .title = "Sweep & more", .blocks = std::move(blocks)}},
          .data = R"({"a":"</script>"})"};
}

document::Figure figure(const std::string& title) {
  return {.title = title, .alt = "what it shows", .json = R"({"data":[],"layout":{}})"};
}

document::Table numbers(std::size_t rows) {
  document::Table table{.title = "Numbers", .columns = {{.head = "step"}}, .rows = {}};
  for (std::size_t i = 0; i < rows; ++i) {
    table.rows.push_back({.cells = {{std::to_string(i), static_cast<double>(i)}}});
  }
  return table;
}

std::string source_of(std::string_view script) {
  return "'sha256-" + text::base64(sha256(script)) + '\'';
}

TEST(Page, LetsNothingRunButTheScriptsThatItHolds) {
  Page page = page_of({figure("f")});
  page.plotly = {.script = "window.Plotly={}", .version = "4.1.1"};
  const std::string html = html_page(page);
  EXPECT_THAT(html, HasSubstr("default-src 'none'; script-src " + source_of(page_script()) + ' ' +
                              source_of("window.Plotly={}") + ';'));
  EXPECT_THAT(html, HasSubstr("<script>window.Plotly={}</script>"));
  EXPECT_THAT(html, Not(HasSubstr("unsafe-eval")));
  EXPECT_TRUE(is_page(html));
  EXPECT_FALSE(is_page("<!DOCTYPE html><title>mine</title>"));
}

TEST(Page, OfTextOfOthersStaysText) {
  const std::string html =
      html_page(page_of({document::Paragraph{"<img src=x onerror=alert(1)>"},
                         document::Verbatim{"a<b", "</pre><script>alert(1)</script>"}}));
  EXPECT_THAT(html, HasSubstr("<h1>A &lt;title&gt;</h1>"));
  EXPECT_THAT(html, HasSubstr("Sweep &amp; more"));
  EXPECT_THAT(html, Not(HasSubstr("<img")));
  EXPECT_THAT(html, Not(HasSubstr("alert(1)</script>")));
  EXPECT_THAT(html, HasSubstr(R"({"a":"\u003c/script>"})"));
}

TEST(Page, AFigureStandsThereInWordsAndLeadsToItsNumbers) {
  document::Figure with_note = figure("steps");
  with_note.note = "900 of 1,000 steps are left out";
  Page page = page_of({with_note, numbers(2)});
  page.plotly = {.script = "x", .version = "4.1.1"};
  const std::string html = html_page(page);
  EXPECT_THAT(html, HasSubstr("<p class=\"alt\" id=\"figure-1-alt\">what it shows</p>"));
  EXPECT_THAT(html, HasSubstr("900 of 1,000 steps are left out"));
  EXPECT_THAT(html, HasSubstr("<a href=\"#table-1\">"));
  EXPECT_THAT(html, HasSubstr("<td data-v=\"1\">1</td>"));
  EXPECT_THAT(html, HasSubstr("<th scope=\"col\" class=\"number\">step</th>"));
}

TEST(Page, AFoldedChapterShowsItsTitleAndIsInTheContents) {
  Page page = page_of({document::Paragraph{"within"}});
  page.sections.front().folded = true;
  const std::string html = html_page(page);
  EXPECT_THAT(html, HasSubstr("<li><a href=\"#sweep\">"));
  EXPECT_THAT(html, HasSubstr("<details><summary><h2 id=\"sweep-title\">Sweep &amp; more</h2>"
                              "</summary>\n<p>within</p>\n</details>\n</section>"));
  page.sections.front().folded = false;
  EXPECT_THAT(html_page(page), Not(HasSubstr("<details>")));
}

TEST(Page, FiguresWithAChoiceShareAPlace) {
  document::Figure step = figure("a");
  step.choice = "step";
  document::Figure rate = figure("b");
  rate.choice = "samples/s";
  const std::string html = html_page(page_of({step, rate, figure("c")}));
  EXPECT_THAT(html, HasSubstr("<div class=\"choice\">\n<figure id=\"figure-1\" data-choice="));
  EXPECT_THAT(html, HasSubstr("</figure>\n</div>\n<figure id=\"figure-3\">"));
}

TEST(Page, WithoutPlotlyHoldsTheWordsOfItsFiguresAlone) {
  const std::string html = html_page(page_of({figure("f")}));
  EXPECT_THAT(html, HasSubstr("what it shows"));
  EXPECT_THAT(html, Not(HasSubstr("data-figure=")));
  EXPECT_THAT(html, Not(HasSubstr(R"("layout":{})")));
  EXPECT_THAT(html, HasSubstr("Made without charts"));
}

TEST(Page, OfALongTableHasTheFirstRowsAndSaysSo) {
  const std::string html = html_page(page_of({numbers(document::kPageRows + 5)}));
  EXPECT_THAT(html, HasSubstr("The first 2,000 of 2,005 rows"));
  EXPECT_THAT(html, HasSubstr(">1999</td>"));
  EXPECT_THAT(html, Not(HasSubstr(">2000</td>")));
}

TEST(Page, ThatIsCompactPacksWhatIsLong) {
  Page page = page_of({figure("f")});
  page.data = "{\"a\":\"" + std::string(100'000, 'x') + "\"}";
  page.plotly = {.script = std::string(100'000, ' '), .version = "4.1.1"};
  const std::string plain = html_page(page);
  page.compact = true;
  const std::string compact = html_page(page);
  EXPECT_GT(plain.size(), compact.size() + 190'000);
  EXPECT_THAT(compact, HasSubstr("id=\"plotly-packed\" data-encoding=\"gzip+base64\""));
  EXPECT_THAT(compact, HasSubstr("id=\"stepbench-data\" data-encoding=\"gzip+base64\""));
  EXPECT_THAT(compact, HasSubstr(source_of(page.plotly.script)));
}

}  // namespace
}  // namespace stepbench::report
