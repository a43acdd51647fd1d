// SPDX-License-Identifier: Apache-2.0
#include "harness/text/utf8.h"

#include <gtest/gtest.h>

namespace stepbench::text {
namespace {

TEST(Utf8, ReplacesWhatIsNot) {
  EXPECT_EQ(to_valid_utf8("gr\xC3\xBC\xC3\x9F"), "gr\xC3\xBC\xC3\x9F");
  EXPECT_EQ(to_valid_utf8("a\xFF"
                          "b\xC3"),
            "a\xEF\xBF\xBD"
            "b\xEF\xBF\xBD");
  EXPECT_EQ(to_valid_utf8("\xED\xA0\x80"), "\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD") << "a surrogate";
}

TEST(Utf8, KnowsTheBordersOfEveryRange) {
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

TEST(Utf8, IsCutByCharactersNotBytes) {
  EXPECT_EQ(shortened("größer", 4), "grö…");
  EXPECT_EQ(shortened("größer", 6), "größer");
  EXPECT_EQ(shortened("größer", 0), "");
  EXPECT_EQ(shortened_inside("größer", 6), "größer");
  EXPECT_EQ(shortened_inside("größer", 5), "g…ßer");
  EXPECT_EQ(shortened_inside("größer", 3), "gr…");
  EXPECT_EQ(shortened_inside("größer", 0), "");
  EXPECT_EQ(width("größer"), 6U);
}

}  // namespace
}  // namespace stepbench::text
