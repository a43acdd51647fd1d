// SPDX-License-Identifier: Apache-2.0
#include "harness/text/names.h"

#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

#include "harness/base/error.h"

namespace stepbench::text {
namespace {

const std::vector<std::string> kKnown = {"launches",           "data.kind",
                                         "model.kind",         "loader.num_workers",
                                         "loader.num_workers", "compare.margin.step"};

std::string why_not(std::string_view given, std::string_view unknown = "unknown option") {
  try {
    return resolve_name(given, kKnown, unknown) + " was taken";
  } catch (const Error& error) {
    return error.what();
  }
}

TEST(Names, AreTakenInFullOrByTheirEnd) {
  EXPECT_EQ(resolve_name("launches", kKnown), "launches");
  EXPECT_EQ(resolve_name("loader.num_workers", kKnown), "loader.num_workers");
  EXPECT_EQ(resolve_name("num_workers", kKnown), "loader.num_workers");
  EXPECT_EQ(resolve_name("margin.step", kKnown), "compare.margin.step");
  EXPECT_EQ(resolve_name("step", kKnown), "compare.margin.step");
}

TEST(Names, AFullNameWinsOverTheEndOfAnother) {
  const std::vector<std::string> names = {"loader.workload", "workload"};
  EXPECT_EQ(resolve_name("workload", names), "workload");
}

TEST(Names, OfSeveralAllAreNamed) {
  EXPECT_EQ(why_not("kind"), "'kind' may be data.kind or model.kind; write one in full");
}

TEST(Names, AnUnknownOneIsAnsweredWithTheNearest) {
  EXPECT_EQ(why_not("lanches"), "unknown option 'lanches' (did you mean 'launches'?)");
  EXPECT_EQ(why_not("num_wrokers", "no column"),
            "no column 'num_wrokers' (did you mean 'loader.num_workers'?)");
  EXPECT_EQ(why_not("zebra"), "unknown option 'zebra'");
  EXPECT_EQ(why_not(""), "unknown option ''");
}

TEST(Names, APartOfAWordIsNoName) { EXPECT_TRUE(matching_names("workers", kKnown).empty()); }

}  // namespace
}  // namespace stepbench::text
