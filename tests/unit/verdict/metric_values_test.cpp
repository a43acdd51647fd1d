// SPDX-License-Identifier: Apache-2.0
// The value of a launch in `compare`, and the message if there is none.
#include "harness/base/error.h"
#include "harness/verdict/comparison.h"
#include "harness/verdict/internal/case_metrics.h"
#include "harness/verdict/tested_metrics.h"
#include "tests/testing.h"
#include "tests/unit/verdict/result_maker.h"

namespace stepbench::verdict {
namespace {

using Change = void (*)(record::Launch&);

record::Results launches(int count, int steps, Change change) {
  record::Results results =
      make({.cases = {{.case_id = "aaaa",
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

TEST(MetricValues, CpuTime_IsPerStep) {
  const auto of_steps = [](int steps) {
    record::Results results = launches(8, steps, [](record::Launch&) {});
    for (record::Launch& launch : results.launches) {
      launch.row.report.metrics["cpu_user_ns"] = steps * 7e6;
    }
    return results;
  };
  const TestResult test = tested(of_steps(20), of_steps(40), "cpu_user").metrics.at(0).test;
  EXPECT_DOUBLE_EQ(test.base_median, 7e6);
  EXPECT_EQ(test.change, 0);
  EXPECT_EQ(test.verdict, Verdict::kOk);
}

TEST(MetricValues, Zero_IsAValue) {
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
  const record::Results no_time =
      make({.cases = {{.case_id = "aaaa", .step_ns = [](int) { return 0; }}}, .launches = 8});
  EXPECT_EQ(tested(lost(0), no_time, "").metrics.at(0).test.verdict, Verdict::kNoData);
}

TEST(MetricValues, MfuAboveOne_IsNoValue) {
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

// The host waited for the device at the end of its window; the device's clock did not.
TEST(MetricValues, DifferentClocks_HaveNoVerdict) {
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

const std::vector<Metric>& declared() {
  static const std::vector<Metric> columns = {
      {.name = "loader_decode_ns", .unit = "ns", .doc = ""},
      {.name = "think_ns",
       .unit = "ns",
       .role = Role::kContext,
       .direction = Direction::kNeither,
       .doc = "",
       .phase = true},
      {.name = "cache_hits", .unit = "", .direction = Direction::kHigherIsBetter, .doc = ""},
      {.name = "stub_steps", .unit = "steps", .direction = Direction::kNeither, .doc = ""}};
  return columns;
}

TestedMetric one(const std::string& name) {
  return tested_metrics(std::vector<std::string>{name}, declared()).metrics.at(0);
}

TEST(TestedMetrics, NoName_TestsStepAndPeakMemory) {
  EXPECT_EQ(tested_metrics({}, {}).names(), "step, peak_bytes");
  EXPECT_TRUE(tested_metrics({}, {}).by_default);
}

TEST(TestedMetrics, Metric_HasSeveralNames) {
  for (const char* name : {"step_p99_ns", "step_p99", "p99", "P99 [ms]"}) {
    EXPECT_EQ(one(name).metric, "step_p99_ns") << name;
  }
  for (const char* name : {"samples_per_s", "samples/s"}) {
    EXPECT_EQ(one(name).metric, "samples_per_s") << name;
  }
  EXPECT_EQ(one("step_ns").kind, MetricKind::kStep);
  EXPECT_EQ(one("loader_decode").metric, "loader_decode_ns");
  EXPECT_EQ(one("MFU [%]").metric, "mfu");
}

TEST(TestedMetrics, Phase_IsBetterWhenShorter) {
  for (const char* name : {"forward", "forward_ns", "data wait"}) {
    EXPECT_EQ(one(name).kind, MetricKind::kPhase) << name;
  }
  EXPECT_EQ(one("think").kind, MetricKind::kPhase) << "a workload's own";
  EXPECT_EQ(one("think").direction, Direction::kLowerIsBetter);
  EXPECT_EQ(one("forward_device_ns").kind, MetricKind::kOther) << "a column";
}

TEST(TestedMetrics, Direction_IsDeclared) {
  EXPECT_EQ(one("samples_per_s").direction, Direction::kHigherIsBetter);
  EXPECT_EQ(one("cache_hits").direction, Direction::kHigherIsBetter);
  EXPECT_EQ(one("step_p50").direction, Direction::kLowerIsBetter);
}

TEST(TestedMetrics, MetricNamedTwice_IsTestedOnce) {
  const std::vector<std::string> names = {"p99", "step", "step_p99_ns"};
  EXPECT_EQ(tested_metrics(names, {}).names(), "step_p99, step");
}

TEST(TestedMetrics, UnknownName_SuggestsTheNearest) {
  EXPECT_THAT([] { (void)one("forwards"); },
              ThrowsMessage<ConfigError>(HasSubstr("(did you mean 'forward'?)")));
  EXPECT_THAT([] { (void)one("peak_byte"); },
              ThrowsMessage<ConfigError>(HasSubstr("(did you mean 'peak_bytes'?)")));
  EXPECT_THAT([] { (void)one("stub_steps"); },
              ThrowsMessage<ConfigError>(HasSubstr("has no better or worse direction")));
}

}  // namespace
}  // namespace stepbench::verdict
