// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "harness/document/render_markdown.h"

namespace stepbench::document {
namespace {

std::string markdown_of(std::vector<Block> blocks) {
  return render_markdown({.chapters = {{.id = "a", .title = "A", .blocks = std::move(blocks)}}});
}

TEST(Markdown, BeginsWithItsHiddenMarkerAndItsHeadline) {
  EXPECT_EQ(render_markdown({.headline = "a <b>", .marker = "stepbench-verdict"}),
            "<!-- stepbench-verdict -->\n### a &lt;b>\n\n");
}

TEST(Markdown, HasParagraphsAsListsBesideTables) {
  const Table table{.title = "steps",
                    .aside = "window x",
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

TEST(Markdown, OfVerbatimTextEndsWhereWeSay) {
  EXPECT_EQ(markdown_of({Verbatim{"Output", "a\n```\n"}}), "**Output**\n\n````\na\n```\n````\n");
  EXPECT_EQ(markdown_of({Verbatim{.title = "More", .text = "a", .folded = true}}),
            "<details><summary>More</summary>\n\n```\na\n```\n\n</details>\n");
}

}  // namespace
}  // namespace stepbench::document
