// SPDX-License-Identifier: Apache-2.0
// --gate counts: a verdict on what launches counted, whatever their times.
#include "harness/compare/count_gate.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "harness/base/error.h"
#include "harness/ops/op_frame.h"
#include "harness/ops/op_table.h"
#include "tests/unit/compare/result_maker.h"

namespace stepbench {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;
using testing_compare::around_10_ms;

// Two steps with so many calls of an op.
OpTable counted_ops(std::int64_t calls) {
  OpTable table;
  table.strings = {"aten::copy_", "forward"};
  for (std::int64_t step = 0; step < 2; ++step) {
    OpRow row;
    row.name = 0;
    row.phase = 1;
    row.step = step;
    row.calls = calls;
    row.self_cpu_ns = row.cpu_ns = 1000;
    row.own_cpu_allocated_bytes = 512;
    table.rows.push_back(row);
  }
  return table;
}

struct CountedRun {
  double factor = 1;                       // of the step
  std::vector<std::int64_t> calls = {10};  // of each profiled launch
  std::string torch = "2.11.0";
};

Results counted_run(const CountedRun& run) {
  Results results = testing_compare::make(
      {.cases = {{.case_id = "aaaa", .step_ns = around_10_ms(run.factor, 1)}},
       .launches = 3,
       .environment = {{"torch", run.torch}, {"cpu.model", std::string("A")}}});
  for (Launch& launch : results.launches) launch.row.report.metrics.erase("copies");
  for (std::size_t i = 0; i < run.calls.size(); ++i) {
    Launch profiled = results.launches.front();
    profiled.row.key.pass = Pass::kNative;
    profiled.row.key.launch = static_cast<int>(i);
    profiled.ops = frames_of(counted_ops(run.calls[i]));
    results.launches.push_back(std::move(profiled));
  }
  return results;
}

Comparison gated(const CountedRun& base, const CountedRun& candidate, double margin = 0,
                 std::vector<std::string> allow = {}) {
  const Results a = counted_run(base);
  const Results b = counted_run(candidate);
  return compare({&a, "old"}, {&b, "new"},
                 {.allow = std::move(allow), .gate_counts = true, .count_margin = margin});
}

const MetricResult& metric_of(const Comparison& comparison, const std::string& name) {
  for (const MetricResult& metric : comparison.cases.front().metrics) {
    if (metric.name == name) return metric;
  }
  throw std::out_of_range(name);
}

TEST(CountGate, OneMoreCallIsARegressionOfStoredResultsAndItsOpIsNamed) {
  const Comparison comparison = gated({}, {.calls = {11}});
  EXPECT_EQ(comparison.exit_code, 1);
  EXPECT_EQ(comparison.verdict, Verdict::kRegression);
  EXPECT_EQ(metric_of(comparison, "op_calls").test.base_median, 10);
  EXPECT_EQ(metric_of(comparison, "op_calls").test.candidate_median, 11);
  EXPECT_EQ(metric_of(comparison, "cpu_allocated_bytes").test.verdict, Verdict::kOk);
  ASSERT_EQ(comparison.cases.front().ops.size(), 1U);
  EXPECT_EQ(comparison.cases.front().ops.front().name, "aten::copy_");
}

TEST(CountGate, ASlowerStepWithTheSameCountsIsOkAndStillShown) {
  const Comparison comparison = gated({}, {.factor = 3});
  EXPECT_EQ(comparison.exit_code, 0);
  EXPECT_EQ(comparison.verdict, Verdict::kOk);
  EXPECT_FALSE(metric_of(comparison, "step").decides);
}

TEST(CountGate, FewerCallsAreAnImprovementAndAMarginAllowsAFewMore) {
  EXPECT_EQ(gated({}, {.calls = {9}}).verdict, Verdict::kImprovement);
  EXPECT_EQ(gated({.calls = {1000}}, {.calls = {1001}}, 0.001).exit_code, 0);
  EXPECT_EQ(gated({.calls = {1000}}, {.calls = {1002}}, 0.001).exit_code, 1);
}

TEST(CountGate, ACountThatVariesBetweenLaunchesIsANote) {
  const Comparison comparison = gated({.calls = {10, 10}}, {.calls = {10, 12}});
  EXPECT_EQ(comparison.exit_code, 0);
  EXPECT_THAT(comparison.cases.front().notes,
              Contains("op_calls varies between launches and decides nothing: 10 in the base, 10 "
                       "to 12 in the candidate"));
}

TEST(CountGate, ResultsWithoutCountsHaveNoData) {
  const Comparison comparison = gated({}, {.calls = {}});
  EXPECT_EQ(comparison.exit_code, 4);
  EXPECT_THAT(comparison.cases.front().notes,
              Contains(AllOf(HasSubstr("nothing was counted in new"), HasSubstr("--profile"))));
}

TEST(CountGate, AnotherTorchIsRefusedByTheFieldsNameAndCanBeAllowed) {
  try {
    (void)gated({}, {.torch = "2.12.0"});
    FAIL() << "was not refused";
  } catch (const ConfigError& error) {
    EXPECT_THAT(error.what(), AllOf(HasSubstr("differs from old in torch (2.11.0 and 2.12.0)"),
                                    HasSubstr("--allow torch")));
  }
  EXPECT_EQ(gated({}, {.torch = "2.12.0"}, 0, {"torch"}).exit_code, 0);
}

}  // namespace
}  // namespace stepbench
