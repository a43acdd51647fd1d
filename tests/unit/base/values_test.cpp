// SPDX-License-Identifier: Apache-2.0
#include "harness/base/resolved_case.h"

#include "harness/base/error.h"
#include "harness/base/series.h"
#include "tests/testing.h"

namespace stepbench {
namespace {

ResolvedCase example() {
  ResolvedCase resolved;
  resolved.case_id = "0123456789abcdef";
  resolved.options = {{"flag", Value{true}},
                      {"none", Value{}},
                      {"number", Value{0.5}},
                      {"text", Value{std::string("x")}},
                      {"whole", Value{std::int64_t{4}}}};
  return resolved;
}

TEST(ResolvedCase, Options_AreReadByType) {
  const ResolvedCase resolved = example();
  EXPECT_TRUE(resolved.flag("flag"));
  EXPECT_EQ(resolved.integer("whole"), 4);
  EXPECT_EQ(resolved.number("whole"), 4.0);
  EXPECT_EQ(resolved.number("number"), 0.5);
  EXPECT_EQ(resolved.text("text"), "x");
  EXPECT_THROW((void)example().integer_or("text", 7), Error);
  EXPECT_THROW((void)example().text("absent"), Error);
}

TEST(ResolvedCase, MissingOrNullOption_UsesTheDefault) {
  const ResolvedCase resolved = example();
  for (const char* name : {"none", "absent"}) {
    EXPECT_TRUE(resolved.flag_or(name, true));
    EXPECT_EQ(resolved.integer_or(name, 7), 7);
    EXPECT_EQ(resolved.number_or(name, 1.5), 1.5);
    EXPECT_EQ(resolved.text_or(name, "y"), "y");
  }
  EXPECT_EQ(resolved.integer_or("whole", 7), 4);
}

TEST(Value, Text_IsShort) {
  EXPECT_EQ(to_text(Value{0.001}), "0.001");
  EXPECT_EQ(to_text(Value{}), "null");
  EXPECT_EQ(number_of(Value{std::int64_t{4}}), 4.0);
  EXPECT_EQ(number_of(Value{0.5}), 0.5);
  EXPECT_EQ(number_of(Value{true}), std::nullopt);
  EXPECT_EQ(number_of(example().options, "absent"), std::nullopt);
}

TEST(Fields, MissingText_UsesTheFallback) {
  const Fields fields = {{"a", Value{std::int64_t{1}}}, {"null", Value{}}};
  EXPECT_EQ(text_of(fields, "a"), "1");
  EXPECT_EQ(text_of(fields, "null"), "");
  EXPECT_EQ(text_of(fields, "absent", "-"), "-");
}

TEST(Series, AddedName_AppendsAZeroedColumn) {
  Series series;
  EXPECT_EQ(series.steps(), 0U);
  series.add("step_ns", 2) = {7, 8};
  series.add("flags", 2);
  EXPECT_EQ(series.steps(), 2U);
  EXPECT_THAT(series.names, ElementsAre("step_ns", "flags"));
  EXPECT_THAT(series.column("flags"), ElementsAre(0, 0));
}

TEST(Series, MissingColumn_IsNullOrAnError) {
  Series series{{"step_ns"}, {{7}}};
  EXPECT_EQ(series.find("flags"), nullptr);
  EXPECT_THAT([&] { (void)series.column("flags"); }, ThrowsMessage<Error>(HasSubstr("'flags'")));
  (*series.find("step_ns"))[0] = 9;
  EXPECT_THAT(series.column("step_ns"), ElementsAre(9));
}

}  // namespace
}  // namespace stepbench
