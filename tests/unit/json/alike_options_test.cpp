// SPDX-License-Identifier: Apache-2.0
#include "harness/json/fields.h"

#include "tests/testing.h"

namespace stepbench::json {
namespace {

class Reader {
 public:
  OptionValues read(const std::string& options) {
    const std::string line = "{\"options\":" + options + "}";
    return alike_.read(parser_.parse(line, LineParser::Padding::kNone).object, "options");
  }

 private:
  LineParser parser_;
  AlikeOptions alike_;
};

OptionValues by_fields(const std::string& options) {
  LineParser parser;
  const std::string line = "{\"options\":" + options + "}";
  return OptionValues(parser.parse(line, LineParser::Padding::kNone).object.fields("options"));
}

TEST(AlikeOptions, SweepCases_ShareNamesAndValues) {
  Reader reader;
  const OptionValues first = reader.read(R"({"a":1,"b":"x","c":null,"d":0.5,"e":true})");
  const OptionValues other = reader.read(R"({"a":2,"b":"x","c":null,"d":0.5,"e":true})");
  EXPECT_TRUE(other.has_names_of(first));
  EXPECT_EQ(&first.at("b"), &other.at("b"));
  EXPECT_EQ(other.at("a"), Value(std::int64_t{2}));
  EXPECT_EQ(first.at("a"), Value(std::int64_t{1}));
}

// Independent of earlier lines.
TEST(AlikeOptions, EqualLines_ReadAlike) {
  Reader reader;
  for (const std::string options :
       {R"({"a":1,"b":"x"})", R"({"a":1.0,"b":"y"})", R"({"a":1,"b":"x"})", R"({"a":"1","b":null})",
        R"({"a":true,"b":"x"})", R"({"a":-0.0,"b":0.0})", R"({"a":0.0,"b":-0.0})",
        R"({"a":0,"b":""})", R"({"a":[1,2],"b":{"c":1}})", R"({"a":1})", R"({"a":1,"b":"x","c":2})",
        R"({"b":"x","a":1})", R"({})", R"({"x":1,"y":2})", R"({"a":1,"b":"x"})"}) {
    const OptionValues read = reader.read(options);
    EXPECT_EQ(read, by_fields(options)) << options;
    for (const auto& [name, value] : by_fields(options)) {
      EXPECT_EQ(read.at(name).index(), value.index()) << options;
      EXPECT_EQ(to_text(read.at(name)), to_text(value)) << options;
    }
  }
}

TEST(AlikeOptions, AlternatingWorkloads_ShareTheirOwn) {
  Reader reader;
  const OptionValues loader = reader.read(R"({"a":1,"b":2})");
  const OptionValues step = reader.read(R"({"a":1,"c":2})");
  EXPECT_TRUE(reader.read(R"({"a":5,"b":2})").has_names_of(loader));
  EXPECT_TRUE(reader.read(R"({"a":5,"c":2})").has_names_of(step));
}

TEST(AlikeOptions, ManyKinds_AreRead) {
  Reader reader;
  for (int round = 0; round < 3; ++round) {
    for (int kind = 0; kind < 20; ++kind) {
      const std::string options =
          "{\"n" + std::to_string(kind) + "\":" + std::to_string(round) + "}";
      EXPECT_EQ(reader.read(options), by_fields(options));
    }
  }
}

}  // namespace
}  // namespace stepbench::json
