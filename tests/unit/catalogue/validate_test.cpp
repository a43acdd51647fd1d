// SPDX-License-Identifier: Apache-2.0
#include "harness/catalogue/validate.h"

#include <gmock/gmock.h>

#include "workloads/built_in.h"

namespace stepbench::catalogue {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

Catalogue with(Section section) {
  Catalogue catalogue{.sections = harness_sections(), .workloads = {}};
  catalogue.sections.push_back(std::move(section));
  return catalogue;
}

Catalogue with(Option option) {
  return with(Section{.name = "m", .doc = "M.", .options = {std::move(option)}});
}

TEST(Validate, TheBuiltInCatalogueIsRight) {
  EXPECT_THAT(validate(built_in_catalogue()), IsEmpty());
}

TEST(Validate, EveryBuiltInOptionHasADoc) {
  for (const Section& section : built_in_catalogue().sections) {
    EXPECT_FALSE(section.doc.empty()) << section.name;
    for (const Option& option : section.options) EXPECT_GT(option.doc.size(), 10U) << option.name;
  }
}

TEST(Validate, RepeatedNames) {
  const Option option{.name = "a", .doc = "A."};
  EXPECT_THAT(validate(with(Section{.name = "m", .doc = "M.", .options = {option, option}})),
              Contains(HasSubstr("'a' is declared twice")));
  EXPECT_THAT(validate(with(Section{.name = "limits", .doc = "L."})),
              Contains(HasSubstr("'limits' is declared twice")));
}

TEST(Validate, DefaultsThatTheOptionItselfRefuses) {
  EXPECT_THAT(validate(with(Option{.name = "a",
                                   .type = OptionType::kInteger,
                                   .doc = "A.",
                                   .default_value = std::int64_t{9},
                                   .max = 8})),
              Contains(HasSubstr("m.a: default: expected an integer <= 8, found 9")));
  EXPECT_THAT(validate(with(Option{.name = "a",
                                   .type = OptionType::kInteger,
                                   .doc = "A.",
                                   .identity_default = std::string("x")})),
              Contains(HasSubstr("m.a: identity_default")));
}

TEST(Validate, PathsOutsideIdentity) {
  EXPECT_THAT(validate(with(Option{.name = "a", .type = OptionType::kPath, .doc = "A."})),
              Contains(HasSubstr("cannot be part of a case's identity")));
}

TEST(Validate, ReferencesThatLeadNowhere) {
  EXPECT_THAT(
      validate(with(Option{.name = "a",
                           .doc = "A.",
                           .requires_ = Requires{.option = "m.b", .value = true, .doc = ""}})),
      Contains(HasSubstr("requires the unknown option 'm.b'")));
  Catalogue catalogue = with(Option{.name = "a", .doc = "A."});
  catalogue.workloads.push_back({.name = "w", .doc = "W.", .sections = {"nowhere"}});
  EXPECT_THAT(validate(catalogue), Contains(HasSubstr("reads the unknown section 'nowhere'")));
}

TEST(Validate, SelectorsAndTheirVariants) {
  const Option kind{.name = "kind", .type = OptionType::kEnum, .doc = "K.", .choices = {"x", "y"}};
  EXPECT_THAT(validate(with(Section{.name = "m",
                                    .doc = "M.",
                                    .selector = "kind",
                                    .options = {kind},
                                    .variants = {{.name = "x", .doc = "X."}}})),
              Contains(HasSubstr("the choices of 'kind' must be its variants")));
}

TEST(Validate, DefaultsOfVariants) {
  const Option kind{.name = "kind", .type = OptionType::kEnum, .doc = "K.", .choices = {"x"}};
  const Option size{.name = "size",
                    .type = OptionType::kInteger,
                    .doc = "S.",
                    .default_value = std::int64_t{1},
                    .default_in = {{"x", std::int64_t{9}}, {"y", std::int64_t{1}}},
                    .max = 8};
  const std::vector<std::string> problems = validate(with(Section{.name = "m",
                                                                  .doc = "M.",
                                                                  .selector = "kind",
                                                                  .options = {kind, size},
                                                                  .variants = {{"x", "X."}}}));
  EXPECT_THAT(problems, Contains(HasSubstr("m.size: default in x: expected an integer <= 8")));
  EXPECT_THAT(problems, Contains(HasSubstr("m.size: default in the unknown variant 'y'")));
}

TEST(Validate, AtMostSixteenPhases) {
  Catalogue catalogue = with(Option{.name = "a", .doc = "A."});
  WorkloadSpec workload{.name = "w", .doc = "W."};
  for (int i = 0; i < 17; ++i) workload.phases.push_back({"phase_" + std::to_string(i), ""});
  catalogue.workloads.push_back(workload);
  EXPECT_THAT(validate(catalogue), Contains(HasSubstr("more than 16 phases")));
  catalogue.workloads[0].phases = {{"forward", ""}};
  EXPECT_THAT(validate(catalogue), Contains(HasSubstr("'forward' is declared twice")));
}

TEST(Validate, AWorkloadsMetricHasNoNameOfTheHarness) {
  Catalogue catalogue = with(Option{.name = "a", .doc = "A."});
  catalogue.workloads.push_back({.name = "w", .doc = "W.", .metrics = {{.name = "mfu"}}});
  EXPECT_THAT(validate(catalogue), IsEmpty());
  EXPECT_THAT(validate(catalogue, std::vector<Metric>{{.name = "mfu"}}),
              Contains(HasSubstr("metric of workload 'w' 'mfu' is declared twice")));
}

TEST(Validate, PatternsThatAreNone) {
  EXPECT_THAT(validate(with(Option{.name = "a", .doc = "A.", .pattern = "("})),
              Contains(HasSubstr("is no regular expression")));
}

}  // namespace
}  // namespace stepbench::catalogue
