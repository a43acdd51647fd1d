// SPDX-License-Identifier: Apache-2.0
#include "harness/json/fields.h"

#include "tests/testing.h"
#include "tests/unit/json/drawn_fields.h"
#include "tests/unit/json/field_types.h"

namespace stepbench {
namespace {

template <typename T>
void expect_round_trips() {
  for (std::uint64_t seed = 0; seed < 50; ++seed) {
    T drawn{};
    testing::DrawnFields draw(seed);
    fields(draw, drawn);
    const std::string text = json::object_text(drawn);
    EXPECT_EQ(json::object_text(json::read_text<T>(text)), text);
  }
}

std::string page(const char* file) {
  std::ostringstream text;
  text << std::ifstream(std::string(STEPBENCH_SOURCE_DIR "/") + file).rdbuf();
  return text.str();
}

// True if a line of the page names the field and the version that added it.
bool tells_of(const std::string& page, const std::string& field, int since) {
  const std::string version = "since 1." + std::to_string(since);
  std::istringstream lines(page);
  for (std::string line; std::getline(lines, line);) {
    const std::size_t at = line.find(field);
    const bool named = line.find('`' + field + '`') != std::string::npos ||
                       line.find('"' + field + '"') != std::string::npos ||
                       (at != std::string::npos && line.find('{') < at);
    if (named && (since == 0 || line.find(version) != std::string::npos)) return true;
  }
  return false;
}

template <typename T>
void expect_told(const std::string& page) {
  T value{};
  testing::FieldNames names;
  fields(names, value);
  for (const auto& [field, since] : names.names()) {
    EXPECT_TRUE(tells_of(page, field, since)) << field << " since 1." << since;
  }
}

template <typename T>
class RecordFields : public ::testing::Test {};
TYPED_TEST_SUITE(RecordFields, testing::Records<::testing::Types>);

TYPED_TEST(RecordFields, DrawnValues_ReadBackAsWritten) { expect_round_trips<TypeParam>(); }
TYPED_TEST(RecordFields, Schema_ListsEachField) {
  expect_told<TypeParam>(page("results/SCHEMA.md"));
}

template <typename T>
class MessageFields : public ::testing::Test {};
TYPED_TEST_SUITE(MessageFields, testing::Messages<::testing::Types>);

TYPED_TEST(MessageFields, DrawnValues_ReadBackAsWritten) { expect_round_trips<TypeParam>(); }
TYPED_TEST(MessageFields, Protocol_ListsEachField) {
  // For measurements it refers to the schema.
  expect_told<TypeParam>(page("harness/protocol/PROTOCOL.md") + page("results/SCHEMA.md"));
}

template <typename T>
class NightFields : public ::testing::Test {};
TYPED_TEST_SUITE(NightFields, testing::Nights<::testing::Types>);

TYPED_TEST(NightFields, DrawnValues_ReadBackAsWritten) { expect_round_trips<TypeParam>(); }
TYPED_TEST(NightFields, Page_ListsEachField) { expect_told<TypeParam>(page("results/NIGHT.md")); }

template <typename T>
std::string error_of(const std::string& text) {
  return test::error_of<json::LineError>([&] { (void)json::read_text<T>(text); });
}

TEST(FieldReader, MissingOrInvalidField_IsNamed) {
  using record::LaunchKey;
  EXPECT_EQ(error_of<LaunchKey>("{}"), "field 'case_id' is missing or empty");
  EXPECT_EQ(error_of<LaunchKey>(R"({"case_id":""})"), "field 'case_id' is missing or empty");
  EXPECT_EQ(error_of<LaunchKey>(R"({"case_id":1})"),
            "field 'case_id' must be a string, is an integer");
  EXPECT_EQ(error_of<LaunchKey>(R"({"case_id":"c","rank":-1})"),
            "field 'rank' is out of range: -1");
  EXPECT_EQ(error_of<LaunchKey>(R"({"case_id":"c","rank":1.0})"),
            "field 'rank' must be an integer, is a fraction");
  EXPECT_EQ(error_of<LaunchKey>(R"({"case_id":"c","pass":"slow"})"),
            "field 'pass' is 'slow'; known: timing, native, kineto, wrapped");
  EXPECT_EQ(error_of<LaunchKey>(R"({"case_id":"c","pass":"timming"})"),
            "field 'pass' is 'timming'; known: timing, native, kineto, wrapped (did you mean "
            "'timing'?)");
  EXPECT_EQ(error_of<record::LaunchReport>(R"({"metrics":{"set_up_ns":"1"}})"),
            "field 'metrics/set_up_ns' must be a number or null, is a string");
  EXPECT_EQ(error_of<protocol::Hello>(R"({"protocol":[1,1]})"), "field 'build_id' is missing");
  EXPECT_EQ(error_of<record::LaunchReport>(
                R"({"findings":[{"id":"a"},{"id":"b","places":[{"step":"x"}]}]})"),
            "field 'findings/1/places/0/step' must be an integer, is a string");
}

TEST(FieldReader, AbsentField_KeepsTheDefault) {
  const auto message = json::read_text<protocol::CaseMessage>(
      R"({"protocol":[1,1],"case_id":"c","workload":"w","later":{"a":[1]}})");
  EXPECT_EQ(message.world, 1);
  EXPECT_EQ(message.pass, Pass::kTiming);
}

}  // namespace
}  // namespace stepbench
