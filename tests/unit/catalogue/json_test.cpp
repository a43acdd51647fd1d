// SPDX-License-Identifier: Apache-2.0
#include "harness/catalogue/json.h"

#include <gmock/gmock.h>

#include "harness/catalogue/validate.h"
#include "harness/error.h"
#include "workloads/catalogue/built_in.h"

namespace stepbench {
namespace {

using ::testing::HasSubstr;

std::string error_of(const std::string& text) {
  try {
    static_cast<void>(catalogue_from_json(text, "worker"));
    return {};
  } catch (const ConfigError& error) {
    return error.what();
  }
}

TEST(CatalogueJson, TheBuiltInCatalogueGoesRound) {
  const std::string text = to_json(built_in_catalogue());
  const Catalogue back = catalogue_from_json(text, "worker");
  EXPECT_EQ(to_json(back), text);
  EXPECT_EQ(catalogue_digest(back), catalogue_digest(built_in_catalogue()));
}

TEST(CatalogueJson, ADigestChangesWithAnyOption) {
  Catalogue changed = built_in_catalogue();
  changed.sections.back().doc += "!";
  EXPECT_NE(catalogue_digest(changed), catalogue_digest(built_in_catalogue()));
}

TEST(CatalogueJson, AWorkerNeedsToDescribeOnlyItsOwn) {
  const Catalogue catalogue = catalogue_from_json(R"({"stepbench_catalogue": 1,
      "sections": [{"name": "mine", "options": [{"name": "size", "type": "integer", "doc": "Size.", "default": 4}]}],
      "workloads": [{"name": "mine", "doc": "Mine.", "sections": ["mine"]}], "later": true})",
                                                  "worker");
  EXPECT_NE(catalogue.find_option("schedule.active"), nullptr);
  EXPECT_EQ(catalogue.find_option("mine.size")->default_value, Value(std::int64_t{4}));
}

TEST(CatalogueJson, AWholeDefaultOfANumberIsANumber) {
  const Catalogue catalogue = catalogue_from_json(
      R"({"stepbench_catalogue": 1, "sections": [{"name": "m", "options":
          [{"name": "r", "type": "number", "doc": "R.", "default": 4}]}]})",
      "worker");
  EXPECT_EQ(catalogue.find_option("m.r")->default_value, Value(4.0));
}

TEST(CatalogueJson, MistakesHaveAPlace) {
  EXPECT_THAT(error_of("Traceback"), HasSubstr("worker: its description is not JSON"));
  EXPECT_THAT(error_of("[]"), HasSubstr("expected an object"));
  EXPECT_THAT(error_of(R"({"stepbench_catalogue": 2})"), HasSubstr("expected version 1"));
  const auto with_option = [](const std::string& option) {
    return error_of(R"({"stepbench_catalogue": 1, "sections": [{"name": "m", "options": [)" +
                    option + "]}]}");
  };
  EXPECT_THAT(with_option(R"({"name": "a", "type": "int", "doc": "x"})"),
              HasSubstr("worker: /sections/0/options/0/type: expected one of bool, integer"));
  EXPECT_THAT(with_option(R"({"type": "integer", "doc": "x"})"),
              HasSubstr("worker: /sections/0/options/0/name: expected a text"));
  EXPECT_THAT(with_option(R"({"name": "a", "type": "integer", "doc": "x", "default": "y"})"),
              HasSubstr("worker: m.a: default: expected an integer, found 'y'"));
  EXPECT_THAT(with_option("4"), HasSubstr("/sections/0/options/0: expected an object"));
}

}  // namespace
}  // namespace stepbench
