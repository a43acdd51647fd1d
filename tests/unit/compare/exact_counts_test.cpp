// SPDX-License-Identifier: Apache-2.0
#include "harness/compare/same_work.h"

#include <gmock/gmock.h>

#include <deque>
#include <limits>

namespace stepbench::compare {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

class ExactCounts : public testing::Test {
 protected:
  // One launch for each value; nothing: the launch does not report the metric.
  std::vector<const record::Launch*> launches(const std::string& metric,
                                              const std::vector<std::optional<double>>& values) {
    std::vector<const record::Launch*> made;
    for (const auto& value : values) {
      record::Launch& launch = launches_.emplace_back();
      if (value) launch.row.report.metrics[metric] = *value;
      made.push_back(&launch);
    }
    return made;
  }
  static Metric counted(const std::string& name, Direction direction = Direction::kNeither) {
    return {.name = name, .unit = "", .direction = direction, .doc = "", .exact = true};
  }
  std::deque<record::Launch> launches_;
};

TEST_F(ExactCounts, AChangedOneIsSaidWithBothValues) {
  const CountedLaunches base{launches("parameters", {10, 10}), {}};
  const CountedLaunches candidate{launches("parameters", {12, 12}), {}};
  EXPECT_THAT(exact_count_notes(base, candidate, {counted("parameters")}),
              ElementsAre("parameters 10 -> 12, counted exactly"));
  EXPECT_THAT(exact_count_notes(base, base, {counted("parameters")}), IsEmpty());
}

TEST_F(ExactCounts, ProfiledLaunchesSpeakForWhatTimedOnesDoNotReport) {
  const CountedLaunches base{launches("parameters", {10}), launches("kernels", {120})};
  const CountedLaunches candidate{launches("parameters", {10}), launches("kernels", {132})};
  EXPECT_THAT(exact_count_notes(base, candidate, {counted("kernels", Direction::kLowerIsBetter)}),
              ElementsAre("kernels 120 -> 132, counted exactly in profiled launches"));
}

TEST_F(ExactCounts, OneThatHasAVerdictIsNotSaidAgain) {
  const CountedLaunches base{launches("mallocs", {0}), {}};
  const CountedLaunches candidate{launches("mallocs", {3}), {}};
  EXPECT_THAT(exact_count_notes(base, candidate, {counted("mallocs", Direction::kLowerIsBetter)}),
              IsEmpty());
}

TEST_F(ExactCounts, OneThatVariesOrIsMissingInALaunchSaysNothing) {
  const CountedLaunches base{launches("parameters", {10, 10}), {}};
  const std::vector<Metric> columns = {counted("parameters")};
  EXPECT_THAT(exact_count_notes(base, {launches("parameters", {12, 13}), {}}, columns), IsEmpty());
  EXPECT_THAT(exact_count_notes(base, {launches("parameters", {12, {}}), {}}, columns), IsEmpty());
  EXPECT_THAT(exact_count_notes(base, {launches("parameters", {{}, {}}), {}}, columns), IsEmpty());
}

TEST_F(ExactCounts, ANumberThatWasNotDeclaredExactIsNotCompared) {
  Metric sampled = counted("parameters");
  sampled.exact = false;
  EXPECT_THAT(exact_count_notes({launches("parameters", {10}), {}},
                                {launches("parameters", {12}), {}}, {sampled}),
              IsEmpty());
}

MetricSamples asked(const std::string& name, std::vector<double> base,
                    std::vector<double> candidate, bool exact = true) {
  return {.metric = {.name = name, .metric = name},
          .samples = {.base = std::move(base), .candidate = std::move(candidate), .exact = exact}};
}

TEST(VaryingCounts, AreToldAndNotAsked) {
  std::vector<MetricSamples> all_samples = {asked("step", {1, 2}, {1, 2}, false),
                                            asked("copies", {3, 3}, {4, 4}),
                                            asked("allocations", {0, 0.02, 0}, {0, 0, 0})};
  all_samples[2].metric.unit = "calls";
  EXPECT_THAT(take_varying_counts(all_samples),
              ElementsAre("allocations varies between launches, so there is no verdict on it: 0 to "
                          "0.02 in the base, 0 in the candidate (calls)"));
  ASSERT_EQ(all_samples.size(), 2U);
  EXPECT_EQ(all_samples[1].metric.name, "copies")
      << "it repeats inside each side, so its change counts";
}

TEST(VaryingCounts, LaunchesWithoutANumberDoNotMakeACountVary) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  std::vector<MetricSamples> all_samples = {asked("copies", {3, nan, 3}, {nan, nan})};
  EXPECT_THAT(take_varying_counts(all_samples), IsEmpty());
  EXPECT_EQ(all_samples.size(), 1U);
}

}  // namespace
}  // namespace stepbench::compare
