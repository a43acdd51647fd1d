// SPDX-License-Identifier: Apache-2.0
// --gate counts: a verdict by counts, independent of times.
#include "harness/verdict/comparison.h"

#include "harness/base/error.h"
#include "harness/ops/op_table.h"
#include "tests/testing.h"
#include "tests/unit/verdict/result_maker.h"

namespace stepbench::verdict {
namespace {

// Two steps with `calls` calls of an op.
ops::OpTable counted_ops(std::int64_t calls) {
  ops::OpTable table;
  table.strings = {"aten::copy_", "forward"};
  for (std::int64_t step = 0; step < 2; ++step) {
    ops::OpRow row;
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
  double factor = 1;                           // of the step
  std::vector<std::int64_t> calls = {10, 10};  // of each profiled launch
  std::string torch = "2.11.0";
  std::vector<double> instructions = {};  // of each counted launch
  std::string engine = "valgrind";        // that counted them
};

void add_instructions(const CountedRun& run, record::Results& results) {
  for (std::size_t i = 0; i < run.instructions.size(); ++i) {
    record::Launch counted = results.launches.front();
    counted.row.key.launch = static_cast<int>(i);
    counted.row.key.pass = Pass::kWrapped;
    counted.row.worker_id = "under valgrind";
    counted.row.report.metrics["instructions_per_step"] = run.instructions[i];
    counted.row.report.effective["profile.counts"] = run.engine;
    if (run.engine == "perf") {
      results.launches[i].row.report = counted.row.report;
    } else {
      results.launches.push_back(std::move(counted));
    }
  }
}

record::Results counted_run(const CountedRun& run) {
  record::Results results =
      make({.cases = {{.case_id = "aaaa", .step_ns = around_10_ms(run.factor, 1)}},
            .launches = 3,
            .environment = {{"torch", run.torch}, {"cpu.model", std::string("A")}}});
  for (record::Launch& launch : results.launches) launch.row.report.metrics.erase("copies");
  for (std::size_t i = 0; i < run.calls.size(); ++i) {
    record::Launch profiled = results.launches.front();
    profiled.row.key.pass = Pass::kNative;
    profiled.row.key.launch = static_cast<int>(i);
    profiled.ops = ops::frames_of(counted_ops(run.calls[i]));
    results.launches.push_back(std::move(profiled));
  }
  add_instructions(run, results);
  return results;
}

Comparison gated(const CountedRun& base, const CountedRun& candidate, double margin = 0,
                 std::vector<std::string> allow = {}) {
  const record::Results a = counted_run(base);
  const record::Results b = counted_run(candidate);
  return compare({&a, "old"}, {&b, "new"},
                 {.allow = std::move(allow), .gate_counts = true, .count_margin = margin});
}

const MetricResult& metric_of(const Comparison& comparison, const std::string& name) {
  for (const MetricResult& metric : comparison.cases.front().metrics) {
    if (metric.name == name) return metric;
  }
  throw std::out_of_range(name);
}

TEST(CountGate, OneMoreCall_IsARegressionWithItsOp) {
  const Comparison comparison = gated({}, {.calls = {11, 11}});
  EXPECT_EQ(comparison.exit_code, 1);
  EXPECT_EQ(comparison.verdict, Verdict::kRegression);
  EXPECT_EQ(metric_of(comparison, "op_calls").test.base_median, 10);
  EXPECT_EQ(metric_of(comparison, "op_calls").test.candidate_median, 11);
  EXPECT_EQ(metric_of(comparison, "cpu_allocated_bytes").test.verdict, Verdict::kOk);
  ASSERT_EQ(comparison.cases.front().ops.size(), 1U);
  EXPECT_EQ(comparison.cases.front().ops.front().name, "aten::copy_");
}

TEST(CountGate, AnyTimes_LetCountsDecide) {
  const Comparison slower = gated({}, {.factor = 3});
  EXPECT_EQ(slower.exit_code, 0);
  EXPECT_EQ(slower.verdict, Verdict::kOk);
  EXPECT_FALSE(metric_of(slower, "step").decides) << "it is shown all the same";
  EXPECT_EQ(gated({}, {.calls = {9, 9}}).verdict, Verdict::kImprovement);
  EXPECT_EQ(gated({.calls = {1000, 1000}}, {.calls = {1001, 1001}}, 0.001).exit_code, 0);
  EXPECT_EQ(gated({.calls = {1000, 1000}}, {.calls = {1002, 1002}}, 0.001).exit_code, 1);
}

// A single launch repeats any count.
TEST(CountGate, OneLaunchPerSide_IsSuspectAtMost) {
  const Comparison more = gated({.calls = {10}}, {.calls = {11}});
  EXPECT_EQ(more.exit_code, 3);
  EXPECT_EQ(more.verdict, Verdict::kSuspect);
  EXPECT_THAT(more.cases.front().notes,
              Contains("op_calls was counted in one launch of a side, so its variation is unknown; "
                       "--profile 2 counts more launches"));
  EXPECT_EQ(gated({.calls = {10, 10}}, {.calls = {11}}).exit_code, 3);
  EXPECT_EQ(gated({.calls = {10}}, {.calls = {10}}).exit_code, 0) << "equal counts need no more";
  EXPECT_EQ(gated(CountedRun{.calls = {}, .instructions = {1e6}},
                  CountedRun{.calls = {}, .instructions = {1.002e6}})
                .exit_code,
            3);
}

TEST(CountGate, VaryingCount_IsANote) {
  const Comparison comparison = gated({.calls = {10, 10}}, {.calls = {10, 12}});
  EXPECT_EQ(comparison.exit_code, 0);
  EXPECT_THAT(comparison.cases.front().notes,
              Contains("op_calls varies between launches and decides nothing: 10 in the base, 10 "
                       "to 12 in the candidate"));
}

CountedRun with_instructions(std::vector<double> values, const std::string& engine = "valgrind") {
  return {.calls = {}, .instructions = std::move(values), .engine = engine};
}

TEST(CountGate, Instructions_HaveAMargin) {
  const auto changed = [](double factor, double margin = 0, const char* engine = "valgrind") {
    return gated(with_instructions({1e6, 1e6}, engine),
                 with_instructions({1e6 * factor, 1e6 * factor}, engine), margin);
  };
  const Comparison more = changed(1.002);
  EXPECT_EQ(more.exit_code, 1);
  EXPECT_EQ(metric_of(more, "instructions_per_step").test.verdict, Verdict::kRegression);
  EXPECT_THAT(more.cases.front().notes,
              Contains("instructions_per_step was counted by valgrind, on one thread"));
  EXPECT_EQ(changed(1.0009).exit_code, 0);
  EXPECT_EQ(changed(1.002, 0.01).exit_code, 0);
  EXPECT_EQ(changed(1.1, 0, "perf").exit_code, 1);
}

TEST(CountGate, VaryingInstructions_DecideNothing) {
  const Comparison varying = gated(with_instructions({1e6, 1.01e6}), with_instructions({2e6, 2e6}));
  EXPECT_THAT(varying.cases.front().notes,
              Contains(HasSubstr("instructions_per_step varies between launches")));
  EXPECT_EQ(varying.exit_code, 4);
  const Comparison mixed =
      gated(with_instructions({1e6, 1e6}, "perf"), with_instructions({2e6, 2e6}));
  EXPECT_THAT(mixed.cases.front().notes,
              Contains(HasSubstr("by perf in old and by valgrind in new")));
  EXPECT_EQ(mixed.exit_code, 4);
}

TEST(CountGate, ValgrindFields_AreNoDifference) {
  const record::Results a = counted_run({});
  record::Results b = counted_run(with_instructions({1e6, 1e6}));
  b.workers.push_back(
      {.worker_id = "under valgrind", .environment = {{"cpu_capability", std::string("another")}}});
  for (const EnvironmentDifference& each : compare({&a, "old"}, {&b, "new"}, {}).environment) {
    EXPECT_NE(each.field, "cpu_capability");
  }
}

TEST(CountGate, OneMoreAllocation_IsARegression) {
  record::Results a = counted_run({});
  record::Results b = counted_run({});
  for (record::Results* results : {&a, &b}) {
    ops::OpTable table = counted_ops(10);
    for (ops::OpRow& row : table.rows) row.own_cpu_allocations = results == &a ? 3 : 4;
    for (record::Launch& launch : results->launches) {
      if (launch.row.key.pass == Pass::kNative) launch.ops = ops::frames_of(table);
    }
  }
  const Comparison comparison = compare({&a, "old"}, {&b, "new"}, {.gate_counts = true});
  EXPECT_EQ(comparison.exit_code, 1);
  EXPECT_EQ(metric_of(comparison, "cpu_allocations").test.candidate_median, 4);
}

TEST(CountGate, NoCounts_HaveNoData) {
  const Comparison comparison = gated({}, {.calls = {}});
  EXPECT_EQ(comparison.exit_code, 4);
  EXPECT_THAT(comparison.cases.front().notes,
              Contains(AllOf(HasSubstr("no counts in new"), HasSubstr("--profile"))));
}

TEST(CountGate, OtherTorch_IsRejectedUnlessAllowed) {
  EXPECT_THAT(
      ([] { (void)gated({}, {.torch = "2.12.0"}); }),
      ThrowsMessage<ConfigError>(HasSubstr("differs from old in torch (2.11.0 and 2.12.0)")));
  EXPECT_EQ(gated({}, {.torch = "2.12.0"}, 0, {"torch"}).exit_code, 0);
}

}  // namespace
}  // namespace stepbench::verdict
