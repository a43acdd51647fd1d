// SPDX-License-Identifier: Apache-2.0
#include "harness/json/json_text.h"

#include "tests/testing.h"

namespace stepbench::json {
namespace {

TEST(JsonString, SpecialCharacters_AreEscaped) {
  EXPECT_EQ(json_string("a\"b\\c"), R"("a\"b\\c")");
  EXPECT_EQ(json_string("\n\r\t\x01"), R"("\n\r\t\u0001")");
  EXPECT_EQ(json_string("grün"), "\"grün\"");
  EXPECT_EQ(json_string("a\xFF"), "\"a\xEF\xBF\xBD\"");
}

TEST(JsonText, Members_KeepOrderAndGetCommas) {
  JsonText json;
  json.open_object().text("a", "x").integer("b", -1).flag("c", true).null("d");
  json.open_array("e").integer({}, 1).integer({}, 2).close_array();
  json.texts("f", std::vector<std::string>{"y"}).integers("g", std::vector<std::int64_t>{3, 4});
  json.json("h", R"({"i":0})").close_object();
  EXPECT_EQ(json.line(),
            R"({"a":"x","b":-1,"c":true,"d":null,"e":[1,2],"f":["y"],"g":[3,4],"h":{"i":0}})");
}

TEST(JsonText, Pieces_MakeTheSameText) {
  const auto write = [](const auto& pause) {
    JsonText json;
    pause(json);
    json.open_object().open_array("a");
    pause(json);
    json.integer({}, 1);
    pause(json);
    json.integer({}, 2).close_array();
    pause(json);
    json.text("b", "x").close_object();
    return json.take();
  };
  std::string passed_on;
  const std::string rest = write(
      [&](JsonText& json) { json.pass_on([&](std::string_view piece) { passed_on += piece; }); });
  EXPECT_EQ(passed_on + rest, write([](JsonText&) {}));
  EXPECT_EQ(rest.front(), ']') << "all but the last character went out";
}

TEST(JsonText, InfiniteNumber_IsNull) {
  JsonText json;
  json.open_array().number({}, 1).number({}, 0.5);
  json.number({}, std::numeric_limits<double>::infinity()).close_array();
  EXPECT_EQ(json.line(), "[1.0,0.5,null]");
}

// Plain characters are copied in runs: a run may end anywhere.
TEST(JsonText, CutString_IsWrittenAlike) {
  const auto bare = [](const std::string& text) {
    const std::string quoted = json_string(text);
    return quoted.substr(1, quoted.size() - 2);
  };
  const std::string letters = "abcdefghijklmnopqrst";
  for (std::size_t at = 0; at <= letters.size(); ++at) {
    for (int byte = 0; byte < 256; ++byte) {
      const std::string middle(1, static_cast<char>(byte));
      const std::string before = letters.substr(0, at);
      const std::string after = letters.substr(at);
      ASSERT_EQ(bare(before + middle + after), before + bare(middle) + after)
          << byte << " at " << at;
    }
  }
}

}  // namespace
}  // namespace stepbench::json
