// SPDX-License-Identifier: Apache-2.0
// What `compare` takes for the value of a launch, and what it says where there is none.
#include "harness/compare/metric_values.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "harness/compare/comparison.h"
#include "tests/unit/compare/result_maker.h"

namespace stepbench::compare {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

using Change = void (*)(record::Launch&);

record::Results launches(int count, int steps, Change change) {
  record::Results results = testing_compare::make(
      {.cases = {{.case_id = "aaaa",
                  .step_ns = [](int launch) { return 10'000'000 + 1000 * (launch % 5); }}},
       .launches = count,
       .steps = steps});
  for (record::Launch& launch : results.launches) change(launch);
  return results;
}

CaseResult tested(const record::Results& base, const record::Results& candidate,
                  const std::string& metric) {
  CompareOptions options;
  if (!metric.empty()) options.tested = tested_metrics(std::vector{metric}, base.columns);
  return compare({&base, "old"}, {&candidate, "new"}, options).cases.at(0);
}

TEST(MetricValues, CpuTimeIsThatOfAStepHoweverManyWereMeasured) {
  const record::Results twenty = launches(
      8, 20, [](record::Launch& launch) { launch.row.report.metrics["cpu_user_ns"] = 20 * 7e6; });
  const record::Results forty = launches(
      8, 40, [](record::Launch& launch) { launch.row.report.metrics["cpu_user_ns"] = 40 * 7e6; });
  const TestResult test = tested(twenty, forty, "cpu_user").metrics.at(0).test;
  EXPECT_DOUBLE_EQ(test.base_median, 7e6);
  EXPECT_EQ(test.change, 0);
  EXPECT_EQ(test.verdict, Verdict::kOk);
}

TEST(MetricValues, NoneOfSomethingIsAValue) {
  const auto lost = [](double value) {
    record::Results results = launches(8, 20, [](record::Launch&) {});
    results.columns.push_back({.name = "loader_lost_samples", .unit = "samples", .doc = ""});
    for (record::Launch& launch : results.launches) {
      launch.row.report.metrics["loader_lost_samples"] = value;
    }
    return results;
  };
  const TestResult none = tested(lost(0), lost(0), "loader_lost_samples").metrics.at(0).test;
  EXPECT_EQ(none.verdict, Verdict::kOk);
  const TestResult five = tested(lost(0), lost(5), "loader_lost_samples").metrics.at(0).test;
  EXPECT_EQ(five.verdict, Verdict::kSuspect);
  EXPECT_TRUE(five.slower);
  EXPECT_FALSE(five.change);
}

TEST(MetricValues, AStepOfNoTimeIsNoValue) {
  const record::Results good = launches(8, 20, [](record::Launch&) {});
  record::Results bad = testing_compare::make(
      {.cases = {{.case_id = "aaaa", .step_ns = [](int) { return 0; }}}, .launches = 8});
  EXPECT_EQ(tested(good, bad, "").metrics.at(0).test.verdict, Verdict::kNoData);
}

TEST(MetricValues, AnMfuAboveOneIsNoValueForComparisonsEither) {
  const auto with_peak = [](double peak) {
    record::Results results = launches(8, 20, [](record::Launch& launch) {
      launch.row.report.metrics["model_flops_per_step"] = 8e9;  // in 10 ms
    });
    for (record::Launch& launch : results.launches)
      launch.row.report.metrics["device_peak_flops"] = peak;
    return results;
  };
  const CaseResult usual = tested(with_peak(1e12), with_peak(1e12), "mfu");
  EXPECT_NEAR(usual.metrics.at(0).test.base_median, 0.8, 0.01);
  EXPECT_EQ(usual.metrics.at(0).test.verdict, Verdict::kOk);
  const CaseResult refused = tested(with_peak(5e11), with_peak(5e11), "mfu");
  EXPECT_EQ(refused.metrics.at(0).test.verdict, Verdict::kNoData);
  EXPECT_THAT(refused.notes, Contains(HasSubstr("an MFU above 100 % is left out")));
}

// The host waited for the device at the end of its window, the device's clock did not.
TEST(MetricValues, ArmsOnDifferentClocksHaveNoVerdict) {
  const auto on_device = [](bool events) {
    record::Results results = launches(8, 50, [](record::Launch& launch) {
      launch.row.report.effective["device"] = std::string("cuda:0");
      launch.row.report.schedule["window_drained_ns"] = std::int64_t{508'000'000};
      launch.schema_minor = 9;
      auto& steps = launch.samples.front().steps;
      steps.names.emplace_back("period_device_ns");
      steps.columns.push_back(steps.column("step_ns"));
    });
    if (events) return results;
    for (record::Launch& launch : results.launches) {
      launch.samples.front().steps.names.pop_back();
      launch.samples.front().steps.columns.pop_back();
    }
    return results;
  };
  EXPECT_EQ(tested(on_device(true), on_device(true), "step").metrics.at(0).test.verdict,
            Verdict::kOk);
  for (const char* metric : {"step", "data_wait"}) {
    const CaseResult apart = tested(on_device(true), on_device(false), metric);
    EXPECT_EQ(apart.metrics.at(0).test.verdict, Verdict::kNoData) << metric;
  }
  EXPECT_THAT(tested(on_device(true), on_device(false), "step").notes,
              Contains(HasSubstr("some launches have no device times")));
}

}  // namespace
}  // namespace stepbench::compare
