// SPDX-License-Identifier: Apache-2.0
#include "harness/compare/ab_pairs.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "harness/base/error.h"
#include "tests/unit/compare/result_maker.h"

namespace stepbench::compare {
namespace {

using testing::HasSubstr;
using testing::ThrowsMessage;
using testing_compare::around_10_ms;

// A campaign of one point in the given order of arms, "ABBA BAAB".
record::Results campaign(const std::string& order) {
  testing_compare::MadeResults made{.cases = {{.case_id = "c", .step_ns = around_10_ms(1, 0)}},
                                    .launches = 100};
  const record::Results rows = testing_compare::make(made);
  record::Results results;
  results.columns = rows.columns;
  int next_a = 0;
  int next_b = 0;
  for (const char arm : order) {
    if (arm == ' ') continue;
    int& next = arm == 'A' ? next_a : next_b;
    record::Launch launch = rows.launches[static_cast<std::size_t>(next)];
    launch.row.key.arm = arm == 'A' ? kArmA : kArmB;
    launch.row.key.launch = next++;
    launch.row.position = static_cast<int>(results.launches.size());
    launch.place = results.launches.size();
    results.launches.push_back(std::move(launch));
  }
  return results;
}

const std::vector<AbPoint> kPoint = {{"c", "c", "c"}};

AbPairs pairs_of(const record::Results& results) { return ab_pairs(results, kPoint).front(); }

TEST(AbPairs, TheLaunchesWithOneNumberAreAPair) {
  const record::Results results = campaign("ABBA BAAB");
  const AbPairs pairs = pairs_of(results);
  EXPECT_EQ(pairs.pair.base.measured.size(), 4U);
  EXPECT_EQ(pairs.a_first, 2U);
  EXPECT_TRUE(pairs.neighbours);
  EXPECT_EQ(design_of({pairs}), Design::kInterleaved);
}

TEST(AbPairs, APairWithAFailedHalfIsDroppedAndCounted) {
  record::Results results = campaign("ABBA BAAB");
  results.launches[2].row.outcome = Outcome::failed("died");  // B of pair 1
  const AbPairs pairs = pairs_of(results);
  EXPECT_EQ(pairs.dropped, 1U);
  EXPECT_EQ(pairs.pair.base.measured.size(), 3U);
  EXPECT_EQ(pairs.pair.candidate.measured.back()->row.key.launch, 3);
  EXPECT_EQ(pairs.base_launches.size(), 4U) << "the control needs no partner";
  const auto asked = metric_samples(pairs, results.columns, default_metrics());
  EXPECT_EQ(asked.front().samples.base.size(), 4U);
  EXPECT_TRUE(std::isnan(asked.front().samples.candidate.back()));
}

TEST(AbPairs, APairNeedsBothLaunches) {
  const AbPairs pairs = pairs_of(campaign("ABB"));
  EXPECT_EQ(pairs.pair.base.measured.size(), 1U);
  EXPECT_EQ(pairs.dropped, 0U);
}

TEST(AbPairs, OfSeveralAttemptsTheLastCounts) {
  record::Results results = campaign("ABBA");
  record::Launch again = results.launches[0];
  again.row.attempt = 1;
  results.launches[0].row.outcome = Outcome::failed("died");
  results.launches.push_back(again);
  EXPECT_EQ(pairs_of(results).pair.base.measured.size(), 2U);
}

TEST(AbPairs, ArmsThatDidNotTakeTurnsAreSequentialWhateverTheyAreCalled) {
  EXPECT_EQ(design_of(ab_pairs(campaign("AAAABBBB"), kPoint)), Design::kSequential);
  EXPECT_EQ(design_of(ab_pairs(campaign("ABABABABABAB"), kPoint)), Design::kSequential)
      << "A always first: a drift within pairs would look like a change";
}

TEST(AbPairs, SmokeRowsAreRefused) {
  record::Results results = campaign("AB");
  results.launches[0].row.smoke = true;
  EXPECT_THAT([&] { (void)ab_pairs(results, kPoint); },
              ThrowsMessage<ConfigError>(HasSubstr("smoke")));
}

}  // namespace
}  // namespace stepbench::compare
