// SPDX-License-Identifier: Apache-2.0
#include "harness/text/html.h"

#include <gtest/gtest.h>

#include "harness/text/base64.h"

namespace stepbench::text {
namespace {

TEST(Html, TextIsNoMarkupInAnElementOrAnAttribute) {
  EXPECT_EQ(html_text("<b onclick='x' title=\"y\">&amp;"),
            "&lt;b onclick=&#39;x&#39; title=&quot;y&quot;&gt;&amp;amp;");
  EXPECT_EQ(html_text("a\n\u202Eb\xFF"), "a\\n\\u202eb\uFFFD");
  EXPECT_EQ(html_text("a\nb", LineEnds::kKeep), "a\nb");
}

TEST(Html, JsonInAScriptEndsNeitherElementNorLine) {
  EXPECT_EQ(script_json("{\"a\":\"</script><!--\u2028\u2029é\"}"),
            "{\"a\":\"\\u003c/script>\\u003c!--\\u2028\\u2029é\"}");
  EXPECT_EQ(script_json(""), "");
  EXPECT_EQ(script_json("<"), "\\u003c");
}

TEST(Base64, HasPaddingAsTheRfcShowsIt) {
  EXPECT_EQ(base64(std::string_view("")), "");
  EXPECT_EQ(base64(std::string_view("f")), "Zg==");
  EXPECT_EQ(base64(std::string_view("fo")), "Zm8=");
  EXPECT_EQ(base64(std::string_view("foobar")), "Zm9vYmFy");
  EXPECT_EQ(base64(std::string_view("\xFF\xFE\x00", 3)), "//4A");
}

}  // namespace
}  // namespace stepbench::text
