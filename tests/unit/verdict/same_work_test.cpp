// SPDX-License-Identifier: Apache-2.0
#include <deque>

#include "harness/verdict/internal/comparability.h"

#include "tests/testing.h"

namespace stepbench::verdict {
namespace {

struct Side {
  explicit Side(double loss, const char* precision = nullptr) {
    launch.row.report.fingerprint = {{"loss", Value{loss}}, {"gradient_norm", Value{2.0}}};
    if (precision != nullptr) launch.row.options["model.precision"] = std::string(precision);
  }
  [[nodiscard]] CaseLaunches launches() const {
    return {.first = &launch.row, .measured = {&launch}};
  }
  record::Launch launch;
};

std::optional<FingerprintDifference> difference(const Side& a, const Side& b) {
  return fingerprint_difference({a.launches(), b.launches()});
}

TEST(FingerprintCheck, CoarserPrecision_SetsTheLimit) {
  const std::pair<const char*, double> limits[] = {
      {nullptr, 1e-4}, {"tf32", 1e-3}, {"bf16", 2e-2}, {"fp16", 2e-2}};
  for (const auto& [precision, limit] : limits) {
    EXPECT_FALSE(difference(Side(1, precision), Side(1 + 0.9 * limit, precision))) << limit;
    EXPECT_TRUE(difference(Side(1, precision), Side(1 + 1.2 * limit, precision))) << limit;
  }
  EXPECT_FALSE(difference(Side(1, "fp32"), Side(1.01, "bf16")));
  EXPECT_EQ(difference(Side(1, "bf16"), Side(1.1, "fp32"))->precision, "bf16");
}

TEST(FingerprintCheck, Difference_IsNamedWithItsSize) {
  const auto found = difference(Side(0.5), Side(0.6));
  ASSERT_TRUE(found);
  EXPECT_EQ(found->name, "loss");
  EXPECT_NEAR(found->relative, 1.0 / 6, 1e-12);
  EXPECT_THAT(to_text(*found), HasSubstr("loss 0.5 and 0.6 differ by 1.7e-01, more than 1e-04"));
}

// A file has null for a non-finite loss.
TEST(FingerprintCheck, NonFiniteLoss_Differs) {
  const Side nan(std::numeric_limits<double>::quiet_NaN());
  Side null(1);
  null.launch.row.report.fingerprint["loss"] = Value{};
  for (const Side* diverged : {&nan, static_cast<const Side*>(&null)}) {
    EXPECT_TRUE(difference(Side(2.3), *diverged));
    EXPECT_TRUE(difference(*diverged, Side(2.3)));
    EXPECT_FALSE(difference(*diverged, *diverged));
  }
  EXPECT_THAT(to_text(*difference(Side(2.3), null)),
              HasSubstr("loss is 2.3 in the base and no finite number in the candidate"));
  EXPECT_THAT(fingerprint_notes({null.launches(), null.launches()}),
              ElementsAre(HasSubstr("neither side has a finite loss")));
  EXPECT_THAT(fingerprint_notes({null.launches(), Side(1).launches()}), IsEmpty());
}

TEST(FingerprintCheck, MissingValue_IsNotCompared) {
  Side evaluates(1);
  evaluates.launch.row.report.fingerprint.erase("gradient_norm");
  EXPECT_FALSE(difference(Side(1), evaluates));
  EXPECT_THAT(fingerprint_notes({evaluates.launches(), evaluates.launches()}), IsEmpty());
  evaluates.launch.row.report.fingerprint = {};
  EXPECT_FALSE(difference(Side(1), evaluates));
}

TEST(FingerprintCheck, BaseSpread_WidensTheLimit) {
  const Side a(1);
  const Side b(1.002);
  const CaseLaunches both{.first = &a.launch.row, .measured = {&a.launch, &b.launch}};
  const Side similar(1.003);
  const Side far(1.006);
  EXPECT_TRUE(difference(a, similar));
  EXPECT_FALSE(fingerprint_difference({both, similar.launches()}));
  EXPECT_TRUE(fingerprint_difference({both, far.launches()}));
}

// Launches of one side, with these losses.
CaseLaunches launches_of(std::vector<Side>& sides) {
  CaseLaunches all{.first = &sides.front().launch.row};
  for (const Side& side : sides) all.measured.push_back(&side.launch);
  return all;
}

TEST(FingerprintCheck, CandidateSpread_KeepsTheLimit) {
  std::vector<Side> base(6, Side(2.3));
  std::vector<Side> scattered;
  for (const double loss : {2.3, 5.0, 6.0, 7.0, 8.0, 10.0}) scattered.emplace_back(loss);
  const auto found = fingerprint_difference({launches_of(base), launches_of(scattered)});
  ASSERT_TRUE(found);
  EXPECT_EQ(found->candidate, 10) << "the launch that is farthest from the base";
  EXPECT_DOUBLE_EQ(found->limit, 1e-4);

  std::vector<Side> one_another(5, Side(2.3));
  one_another.emplace_back(7.0);
  EXPECT_TRUE(fingerprint_difference({launches_of(base), launches_of(one_another)}));
}

TEST(FingerprintCheck, DisagreeingBase_IsNoted) {
  std::vector<Side> base(5, Side(7.0));
  base.emplace_back(2.3);
  std::vector<Side> candidate(6, Side(7.0));
  EXPECT_THAT(fingerprint_notes({launches_of(base), launches_of(candidate)}),
              ElementsAre("launches of the base differ in loss, 2.3 to 7: only a larger "
                          "difference of the candidate is reported"));
  EXPECT_THAT(fingerprint_notes({launches_of(candidate), launches_of(base)}), IsEmpty());
}

class ExactCounts : public testing::Test {
 protected:
  // One launch per value; nullopt: the launch does not report the metric.
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

TEST_F(ExactCounts, ChangedCount_ShowsBothValues) {
  const CountedLaunches base{launches("parameters", {10, 10}), {}};
  const CountedLaunches candidate{launches("parameters", {12, 12}), {}};
  EXPECT_THAT(exact_count_notes(base, candidate, {counted("parameters")}),
              ElementsAre("parameters 10 -> 12, counted exactly"));
  EXPECT_THAT(exact_count_notes(base, base, {counted("parameters")}), IsEmpty());
}

TEST_F(ExactCounts, UntimedCount_UsesProfiledLaunches) {
  const CountedLaunches base{launches("parameters", {10}), launches("kernels", {120})};
  const CountedLaunches candidate{launches("parameters", {10}), launches("kernels", {132})};
  EXPECT_THAT(exact_count_notes(base, candidate, {counted("kernels", Direction::kLowerIsBetter)}),
              ElementsAre("kernels 120 -> 132, counted exactly in profiled launches"));
}

TEST_F(ExactCounts, VaryingOrTestedCount_IsSilent) {
  const CountedLaunches base{launches("parameters", {10, 10}), {}};
  const std::vector<Metric> columns = {counted("parameters")};
  using Values = std::vector<std::optional<double>>;
  for (const Values& values : {Values{12, 13}, Values{12, {}}, Values{{}, {}}}) {
    EXPECT_THAT(exact_count_notes(base, {launches("parameters", values), {}}, columns), IsEmpty());
  }
  const CountedLaunches changed{launches("parameters", {12, 12}), {}};
  EXPECT_THAT(exact_count_notes(base, changed, {counted("parameters", Direction::kLowerIsBetter)}),
              IsEmpty());
  Metric sampled = counted("parameters");
  sampled.exact = false;
  EXPECT_THAT(exact_count_notes(base, changed, {sampled}), IsEmpty());
}

MetricSamples asked(const std::string& name, std::vector<double> base,
                    std::vector<double> candidate, bool exact = true) {
  return {.metric = {.name = name, .metric = name},
          .samples = {.base = std::move(base), .candidate = std::move(candidate), .exact = exact}};
}

TEST(VaryingCounts, VaryingCounts_AreNotTested) {
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

TEST(VaryingCounts, MissingNumber_IsNoVariation) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  std::vector<MetricSamples> all_samples = {asked("copies", {3, nan, 3}, {nan, nan})};
  EXPECT_THAT(take_varying_counts(all_samples), IsEmpty());
  EXPECT_EQ(all_samples.size(), 1U);
}

}  // namespace
}  // namespace stepbench::verdict
