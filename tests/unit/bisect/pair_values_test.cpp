// SPDX-License-Identifier: Apache-2.0
#include "harness/bisect/internal/measure_step.h"

#include "tests/testing.h"
#include "tests/unit/verdict/result_maker.h"

namespace stepbench::bisect {
namespace {

constexpr int kLaunches = 6;

// Two arms of one case, the second 5 % slower.
record::Results made_pairs() {
  record::Results all;
  for (const char* arm : {verdict::kArmA, verdict::kArmB}) {
    const double factor = arm == verdict::kArmB ? 1.05 : 1;
    record::Results one = make({.cases = {{.case_id = "c", .step_ns = around_10_ms(factor, 1)}},
                                .launches = kLaunches,
                                .arm = arm});
    if (all.columns.empty()) all.columns = one.columns;
    for (record::Launch& launch : one.launches) all.launches.push_back(std::move(launch));
  }
  return all;
}

PairValues values_of(const record::Results& results, std::size_t most = kLaunches) {
  return pair_values(results, {"c", "c", "c"}, verdict::default_metrics(), results.columns, most);
}

TEST(PairValues, FirstPairs_GiveLogRatios) {
  const record::Results results = made_pairs();
  const PairValues values = values_of(results);
  ASSERT_EQ(values.log_ratios.size(), std::size_t{kLaunches});
  for (const double ratio : values.log_ratios) EXPECT_NEAR(ratio, std::log(1.05), 0.01);
  EXPECT_EQ(values.uneven, 0U);
  EXPECT_EQ(values_of(results, 4).log_ratios.size(), 4U);
}

TEST(PairValues, UnevenPairs_AreExcluded) {
  record::Results results = made_pairs();
  for (record::Launch& launch : results.launches) {
    launch.row.machine["gpu.throttled"] = std::string("no");
  }
  results.launches[2].row.machine["gpu.throttled"] = std::string("hardware thermal slowdown");
  const PairValues values = values_of(results);
  EXPECT_EQ(values.log_ratios.size(), std::size_t{kLaunches - 1});
  EXPECT_EQ(values.uneven, 1U);
}

TEST(PairValues, FailedLaunch_LosesOnePair) {
  record::Results results = made_pairs();
  results.launches[kLaunches + 1].row.outcome = {.kind = Outcome::Kind::kFailed, .reason = "x"};
  EXPECT_EQ(values_of(results).log_ratios.size(), std::size_t{kLaunches - 1});
}

}  // namespace
}  // namespace stepbench::bisect
