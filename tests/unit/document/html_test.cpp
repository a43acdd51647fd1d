// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "harness/document/cells.h"
#include "harness/document/render_html.h"

namespace stepbench::document {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

std::string html_of(std::vector<Block> blocks) {
  std::string html;
  HtmlChapters chapters(html, {});
  chapters.add({.id = "a", .title = "A", .blocks = std::move(blocks)});
  return html;
}

TEST(Html, SortsATableByItsNumbersAndNamesWhatStandsInTheirPlace) {
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

TEST(Html, WordsToTheRightAreNoNumbers) {
  EXPECT_THAT(html_of({Table{.columns = {{.head = "pin_memory"}}, .rows = {{{"true"}}}}}),
              HasSubstr("<th scope=\"col\">pin_memory</th>"));
}

TEST(Html, ATableWithoutATitleIsNamedByItsChapter) {
  const std::string html = html_of({Table{.columns = {words("a")}, .rows = {{{"b"}}}}});
  EXPECT_THAT(html, HasSubstr("aria-labelledby=\"a-title\">\n<table"));
  EXPECT_THAT(html, Not(HasSubstr("<h3")));
}

TEST(Html, SaysToneInColourAndUnseenWords) {
  const std::string html = html_of({Paragraph{"slower <b>", Tone::kBad, {"why"}}});
  EXPECT_THAT(html, HasSubstr("<p class=\"bad\"><span class=\"unseen\">Problem: </span>"
                              "slower &lt;b&gt;\n  why</p>"));
}

TEST(Html, LeadsToTheWebAndToPagesBesideItAndNowhereElse) {
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

}  // namespace
}  // namespace stepbench::document
