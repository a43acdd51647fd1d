// SPDX-License-Identifier: Apache-2.0
#include "harness/catalogue/validate.h"

#include "tests/testing.h"
#include "workloads/built_in.h"

namespace stepbench::catalogue {
namespace {

Catalogue with(Section section) {
  Catalogue catalogue{.sections = harness_sections(), .workloads = {}};
  catalogue.sections.push_back(std::move(section));
  return catalogue;
}

Catalogue with(Option option) {
  return with(Section{.name = "m", .doc = "M.", .options = {std::move(option)}});
}

TEST(Validate, EachBuiltInOption_HasADoc) {
  for (const Section& section : built_in_catalogue().sections) {
    EXPECT_FALSE(section.doc.empty()) << section.name;
    for (const Option& option : section.options) EXPECT_GT(option.doc.size(), 10U) << option.name;
  }
}

TEST(Validate, BadOptionOrSection_IsNamed) {
  const Option a{.name = "a", .doc = "A."};
  const Option kind{.name = "kind", .type = OptionType::kEnum, .doc = "K.", .choices = {"x", "y"}};
  const std::pair<Catalogue, const char*> kProblems[] = {
      {with(Section{.name = "m", .doc = "M.", .options = {a, a}}), "'a' is declared twice"},
      {with(Section{.name = "limits", .doc = "L."}), "'limits' is declared twice"},
      {with(Option{.name = "a",
                   .type = OptionType::kInteger,
                   .doc = "A.",
                   .default_value = std::int64_t{9},
                   .max = 8}),
       "m.a: default: expected an integer <= 8, found 9"},
      {with(Option{.name = "a",
                   .type = OptionType::kInteger,
                   .doc = "A.",
                   .identity_default = std::string("x")}),
       "m.a: identity_default"},
      {with(Option{.name = "a", .type = OptionType::kPath, .doc = "A."}),
       "cannot be part of a case's identity"},
      {with(Option{.name = "a",
                   .doc = "A.",
                   .requires_ = Requires{.option = "m.b", .value = true, .doc = ""}}),
       "requires the unknown option 'm.b'"},
      {with(Option{.name = "a", .doc = "A.", .pattern = "("}), "is not a regular expression"},
      {with(Section{.name = "m",
                    .doc = "M.",
                    .selector = "kind",
                    .options = {kind},
                    .variants = {{.name = "x", .doc = "X."}}}),
       "the choices of 'kind' must be its variants"}};
  for (const auto& [catalogue, problem] : kProblems) {
    EXPECT_THAT(validate(catalogue), Contains(HasSubstr(problem)));
  }
}

TEST(Validate, BadVariantDefault_IsNamed) {
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

TEST(Validate, BadWorkload_IsNamed) {
  const auto problems = [](WorkloadSpec workload) {
    Catalogue catalogue = with(Option{.name = "a", .doc = "A."});
    catalogue.workloads.push_back(std::move(workload));
    return validate(catalogue, std::vector<Metric>{{.name = "mfu"}});
  };
  EXPECT_THAT(problems({.name = "w", .doc = "W.", .sections = {"nowhere"}}),
              Contains(HasSubstr("reads the unknown section 'nowhere'")));
  WorkloadSpec workload{.name = "w", .doc = "W."};
  for (int i = 0; i < 17; ++i) workload.phases.push_back({"phase_" + std::to_string(i), ""});
  EXPECT_THAT(problems(workload), Contains(HasSubstr("more than 16 phases")));
  EXPECT_THAT(problems({.name = "w", .doc = "W.", .phases = {{"forward", ""}}}),
              Contains(HasSubstr("'forward' is declared twice")));
  EXPECT_THAT(problems({.name = "w", .doc = "W.", .metrics = {{.name = "mfu"}}}),
              Contains(HasSubstr("metric of workload 'w' 'mfu' is declared twice")));
  EXPECT_THAT(problems({.name = "w", .doc = "W.", .metrics = {{.name = "own"}}}), IsEmpty());
}

}  // namespace
}  // namespace stepbench::catalogue
