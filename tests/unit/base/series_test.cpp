// SPDX-License-Identifier: Apache-2.0
#include "harness/base/series.h"

#include <gmock/gmock.h>

#include "harness/base/error.h"

namespace stepbench {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

TEST(Series, HoldsOneArrayForEachName) {
  Series series;
  EXPECT_EQ(series.steps(), 0U);
  series.add("step_ns", 2) = {7, 8};
  series.add("flags", 2);
  EXPECT_EQ(series.steps(), 2U);
  EXPECT_THAT(series.names, ElementsAre("step_ns", "flags"));
  EXPECT_THAT(series.column("flags"), ElementsAre(0, 0));
}

TEST(Series, AnAbsentColumnIsNullOrAnErrorThatNamesIt) {
  Series series{{"step_ns"}, {{7}}};
  EXPECT_EQ(series.find("flags"), nullptr);
  EXPECT_THAT([&] { (void)series.column("flags"); },
              testing::ThrowsMessage<Error>(HasSubstr("'flags'")));
  (*series.find("step_ns"))[0] = 9;
  EXPECT_THAT(series.column("step_ns"), ElementsAre(9));
}

}  // namespace
}  // namespace stepbench
