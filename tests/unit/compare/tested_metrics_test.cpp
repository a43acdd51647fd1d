// SPDX-License-Identifier: Apache-2.0
#include "harness/compare/tested_metrics.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "harness/base/error.h"

namespace stepbench::compare {
namespace {

using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

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

TEST(TestedMetrics, WithoutANameTheStepAndThePeakOfMemoryAreTested) {
  EXPECT_EQ(tested_metrics({}, {}).names(), "step, peak_bytes");
  EXPECT_TRUE(tested_metrics({}, {}).by_default);
}

TEST(TestedMetrics, AMetricHasItsNameInTheFileAShortOneAndTheHeadOfItsColumn) {
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

TEST(TestedMetrics, APhaseIsMeantByItsNameAndIsBetterWhenShorter) {
  for (const char* name : {"forward", "forward_ns", "data wait"}) {
    EXPECT_EQ(one(name).kind, MetricKind::kPhase) << name;
  }
  EXPECT_EQ(one("think").kind, MetricKind::kPhase) << "a workload's own";
  EXPECT_EQ(one("think").direction, Direction::kLowerIsBetter);
  EXPECT_EQ(one("forward_device_ns").kind, MetricKind::kOther) << "a column";
}

TEST(TestedMetrics, TheDirectionIsThatOfTheDeclaration) {
  EXPECT_EQ(one("samples_per_s").direction, Direction::kHigherIsBetter);
  EXPECT_EQ(one("cache_hits").direction, Direction::kHigherIsBetter);
  EXPECT_EQ(one("step_p50").direction, Direction::kLowerIsBetter);
}

TEST(TestedMetrics, AMetricNamedTwiceIsTestedOnce) {
  const std::vector<std::string> names = {"p99", "step", "step_p99_ns"};
  EXPECT_EQ(tested_metrics(names, {}).names(), "step_p99, step");
}

TEST(TestedMetrics, AnUnknownNameIsRefusedWithTheNearest) {
  EXPECT_THAT([] { (void)one("forwards"); },
              ThrowsMessage<ConfigError>(HasSubstr("(did you mean 'forward'?)")));
  EXPECT_THAT([] { (void)one("peak_byte"); },
              ThrowsMessage<ConfigError>(HasSubstr("(did you mean 'peak_bytes'?)")));
  EXPECT_THAT([] { (void)one("stub_steps"); },
              ThrowsMessage<ConfigError>(HasSubstr("neither better nor worse")));
}

}  // namespace
}  // namespace stepbench::compare
