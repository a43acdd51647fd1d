// SPDX-License-Identifier: Apache-2.0
#include "harness/worker/defaults.h"

#include <gtest/gtest.h>

namespace stepbench::worker {
namespace {

Option option(const std::string& name, Value value) {
  return {.name = name, .doc = "", .default_value = std::move(value)};
}

Catalogue catalogue() {
  Section data{
      .name = "data",
      .doc = "",
      .selector = "kind",
      .options = {option("kind", std::string("small"))},
      .variants = {{.name = "small", .doc = "", .options = {option("size", std::int64_t{1})}},
                   {.name = "large", .doc = "", .options = {option("size", std::int64_t{9})}}}};
  Section other{.name = "other", .doc = "", .options = {option("x", true)}};
  return {{data, other}, {{.name = "w", .doc = "", .sections = {"data"}}}};
}

TEST(Defaults, FillWhatTheCaseDoesNotName) {
  ResolvedCase resolved;
  resolved.workload = "w";
  resolved.options["schedule.warmup"] = std::int64_t{3};
  fill_defaults(resolved, catalogue());
  EXPECT_EQ(resolved.integer("schedule.warmup"), 3);
  EXPECT_EQ(resolved.integer("schedule.wait"), 1);
  EXPECT_EQ(resolved.text("data.kind"), "small");
  EXPECT_EQ(resolved.integer("data.size"), 1);
}

TEST(Defaults, FollowTheChosenVariant) {
  ResolvedCase resolved;
  resolved.workload = "w";
  resolved.options["data.kind"] = std::string("large");
  fill_defaults(resolved, catalogue());
  EXPECT_EQ(resolved.integer("data.size"), 9);
}

TEST(Defaults, MayBeOthersForSomeVariants) {
  Catalogue known = catalogue();
  Option epochs = option("epochs", std::string("joined"));
  epochs.default_in = {{"large", std::string("separate")}};
  known.sections[0].options.push_back(epochs);
  for (const auto& [kind, expected] :
       {std::pair("small", "joined"), std::pair("large", "separate")}) {
    ResolvedCase resolved;
    resolved.workload = "w";
    resolved.options["data.kind"] = std::string(kind);
    fill_defaults(resolved, known);
    EXPECT_EQ(resolved.text("data.epochs"), expected);
  }
}

TEST(Defaults, LeaveNullsAndForeignSectionsAlone) {
  ResolvedCase resolved;
  resolved.workload = "w";
  resolved.options["data.size"] = Value();
  fill_defaults(resolved, catalogue());
  EXPECT_FALSE(resolved.has("data.size"));
  EXPECT_FALSE(resolved.has("other.x"));
}

}  // namespace
}  // namespace stepbench::worker
