// SPDX-License-Identifier: Apache-2.0
#include "harness/runs/run_filter.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "harness/base/error.h"
#include "harness/text/utc.h"

namespace stepbench::runs {
namespace {

using namespace std::chrono_literals;
using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

RunSummary run_of_today() {
  return {.folder = "results/20260131-120000-resnet",
          .run_id = "20260131-120000-resnet",
          .name = "resnet",
          .started_utc = "2026-01-31T12:00:00Z",
          .labels = {{"branch", Value{std::string("main")}}, {"pr", Value{std::int64_t{7}}}}};
}

TEST(RunFilter, TakesAPatternOfTheNameOrTheFolder) {
  EXPECT_TRUE(passes(run_of_today(), {}));
  EXPECT_TRUE(passes(run_of_today(), {.name = "resnet"}));
  EXPECT_TRUE(passes(run_of_today(), {.name = "res*"}));
  EXPECT_TRUE(passes(run_of_today(), {.name = "20260131-*"}));
  EXPECT_FALSE(passes(run_of_today(), {.name = "net"}));
  EXPECT_FALSE(passes(run_of_today(), {.name = "mobile*"}));
}

TEST(RunFilter, WantsEveryLabel) {
  EXPECT_TRUE(passes(run_of_today(), {.labels = {"branch=main", "pr=7"}}));
  EXPECT_TRUE(passes(run_of_today(), {.labels = {"pr"}}));
  EXPECT_FALSE(passes(run_of_today(), {.labels = {"branch=main", "pr=8"}}));
  EXPECT_FALSE(passes(run_of_today(), {.labels = {"keep"}}));
  EXPECT_FALSE(passes(run_of_today(), {.labels = {"branch="}}));
}

TEST(RunFilter, LeavesOutWhatBeganEarlierOrDoesNotSayWhen) {
  EXPECT_TRUE(passes(run_of_today(), {.since = text::parse_utc("2026-01-31")}));
  EXPECT_TRUE(passes(run_of_today(), {.since = text::parse_utc("2026-01-31 12:00")}));
  EXPECT_FALSE(passes(run_of_today(), {.since = text::parse_utc("2026-01-31 12:01")}));
  EXPECT_FALSE(passes({.folder = "results/x", .broken = "damaged"}, {.since = Moment{}}));
}

TEST(RunFilter, ReadsADayOrAnAge) {
  const Moment now = text::parse_utc("2026-02-10").value();
  EXPECT_EQ(parse_since("--since", "2026-01-31", now), text::parse_utc("2026-01-31"));
  EXPECT_EQ(parse_since("--since", "10d", now), text::parse_utc("2026-01-31"));
  EXPECT_THAT([&] { (void)parse_since("--since", "yesterday", now); },
              ThrowsMessage<ConfigError>(HasSubstr("--since: expected a day such as 2026-01-31")));
}

}  // namespace
}  // namespace stepbench::runs
