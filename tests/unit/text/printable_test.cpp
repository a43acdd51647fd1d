// SPDX-License-Identifier: Apache-2.0
// Foreign text on a terminal, in a table, a page or a file of another format stays text.
#include "harness/text/printable.h"

#include "harness/json/json_text.h"
#include "tests/testing.h"

namespace stepbench::text {
namespace {

TEST(Printable, TerminalControls_BecomeVisible) {
  EXPECT_EQ(printable("a\x1b[31mb"), "a\\x1b[31mb");
  EXPECT_EQ(printable(std::string("a\0b", 3)), "a\\x00b");
  EXPECT_EQ(printable("bell\x07 del\x7f"), "bell\\x07 del\\x7f");
  EXPECT_EQ(printable("one\r\n\ttwo"), "one\\r\\n\\ttwo");
  EXPECT_EQ(printable("one\r\n\ttwo", LineEnds::kKeep), "one\\r\n\\ttwo");
  EXPECT_EQ(printable("\xC2\x9B"
                      "31m"),
            "\\u009b31m")
      << "C1";
  EXPECT_EQ(printable("a\u202Ecod.exe"), "a\\u202ecod.exe");
  EXPECT_EQ(printable("a\u2066b\u2069"), "a\\u2066b\\u2069");
  EXPECT_EQ(printable("a\u200Bb\uFEFF"), "a\\u200bb\\ufeff");
  EXPECT_EQ(printable("a\u2028b"), "a\\u2028b");
  EXPECT_EQ(printable("\U000E0041"), "\\ue0041");
  for (const char* text : {"", "plain text", "größe 12 µs", "日本語", "→ … ─ ▏", "C:\\data"}) {
    EXPECT_EQ(printable(text), text);
  }
  EXPECT_EQ(printable("a\xFFz"), "a" + std::string(kReplacementCharacter) + "z");
  EXPECT_EQ(printable("\x9B"
                      "2J"),
            std::string(kReplacementCharacter) + "2J")
      << "a raw C1 byte";
}

TEST(Markdown, Cell_CannotEndOrBecomeMarkup) {
  EXPECT_EQ(markdown_cell("a|b\\c`d"), "a\\|b\\\\c\\`d");
  EXPECT_EQ(markdown_cell("<script>&"), "&lt;script&gt;&amp;");
  EXPECT_EQ(markdown_cell("two\nlines"), "two\\\\nlines");
  EXPECT_EQ(markdown_cell("[me](http://x)"), "[me]\\(http://x)");
  EXPECT_EQ(markdown_line("see `step`, <b>, [me](http://x), 12 -> 13"),
            "see `step`, &lt;b>, [me]\\(http://x), 12 -> 13");
}

TEST(Json, TerminalControls_AreEscaped) {
  EXPECT_EQ(json::json_string("\x1b\x7f\n"), R"("\u001b\u007f\n")");
  EXPECT_EQ(json::json_string("\xC2\x9B\u202E"), R"("\u009b\u202e")");
  EXPECT_EQ(json::json_string("\U000E0041"), R"("\udb40\udc41")");
  EXPECT_EQ(json::json_string("größe"), "\"größe\"");
}

TEST(Html, Text_IsNoMarkup) {
  EXPECT_EQ(html_text("<b onclick='x' title=\"y\">&amp;"),
            "&lt;b onclick=&#39;x&#39; title=&quot;y&quot;&gt;&amp;amp;");
  EXPECT_EQ(html_text("a\n\u202Eb\xFF"), "a\\n\\u202eb\uFFFD");
  EXPECT_EQ(html_text("a\nb", LineEnds::kKeep), "a\nb");
}

TEST(Html, ScriptJson_EndsNoElementOrLine) {
  EXPECT_EQ(script_json("{\"a\":\"</script><!--\u2028\u2029é\"}"),
            "{\"a\":\"\\u003c/script>\\u003c!--\\u2028\\u2029é\"}");
  EXPECT_EQ(script_json(""), "");
  EXPECT_EQ(script_json("<"), "\\u003c");
}

TEST(Utf8, InvalidBytes_AreReplaced) {
  EXPECT_EQ(to_valid_utf8("gr\xC3\xBC\xC3\x9F"), "gr\xC3\xBC\xC3\x9F");
  EXPECT_EQ(to_valid_utf8("a\xFF"
                          "b\xC3"),
            "a\xEF\xBF\xBD"
            "b\xEF\xBF\xBD");
  EXPECT_EQ(to_valid_utf8("\xED\xA0\x80"), "\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD") << "a surrogate";
  EXPECT_EQ(shortened("größer", 4), "grö…");
  EXPECT_EQ(shortened("größer", 6), "größer");
  EXPECT_EQ(shortened("größer", 0), "");
  EXPECT_EQ(shortened_inside("größer", 6), "größer");
  EXPECT_EQ(shortened_inside("größer", 5), "g…ßer");
  EXPECT_EQ(shortened_inside("größer", 3), "gr…");
  EXPECT_EQ(shortened_inside("größer", 0), "");
  EXPECT_EQ(width("größer"), 6U);
}

TEST(Utf8, RangeBorders_AreExact) {
  for (const char* text :
       {"\x7F", "\xC2\x80", "\xDF\xBF", "\xE0\xA0\x80", "\xED\x9F\xBF", "\xEE\x80\x80",
        "\xEF\xBF\xBF", "\xF0\x90\x80\x80", "\xF4\x8F\xBF\xBF"}) {
    EXPECT_EQ(utf8_length(text), std::string_view(text).size()) << text;
  }
  for (const char* text :
       {"", "\x80", "\xC1\xBF", "\xC2", "\xC2\x41", "\xE0\x9F\xBF", "\xED\xA0\x80", "\xE1\x80",
        "\xF0\x8F\xBF\xBF", "\xF4\x90\x80\x80", "\xF5\x80\x80\x80"}) {
    EXPECT_EQ(utf8_length(text), 0U) << text;
  }
}

}  // namespace
}  // namespace stepbench::text
