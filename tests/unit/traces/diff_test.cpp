// SPDX-License-Identifier: Apache-2.0
// Two traces with a difference of known size: it comes first, with its size.
#include "harness/traces/compare_traces.h"
#include "harness/traces/rules.h"
#include "tests/testing.h"
#include "tests/unit/traces/work_maker.h"

namespace stepbench::traces {
namespace {

struct Job {
  std::int64_t steps = 8;
  std::int64_t operator_ns = 20 * kMillisecond;
  std::int64_t kernel_ns = 30 * kMillisecond;
  int syncs = 0;
  std::int64_t loading_ns = 0;
  std::int64_t jitter_ns = 0;  // of the operator, from step to step
  std::string extra_operator = {};
  std::string device = "Scripted GPU";
};

// A step: loading data, an operator without device work, then one that launches a kernel.
traces::Trace trace_of_job(const Job& job) {
  TraceMaker trace;
  trace.builder.trace().devices.push_back({.id = 0, .name = job.device});
  std::int64_t at_ns = 1'000'000'000;
  for (std::int64_t number = 0; number < job.steps; ++number) {
    const std::int64_t begin_ns = at_ns;
    if (job.loading_ns > 0) trace.loading(at_ns, at_ns + job.loading_ns);
    at_ns += job.loading_ns;
    const std::int64_t operator_ns = job.operator_ns + (number * 7 % 5 - 2) * job.jitter_ns;
    trace.op("aten::nonzero", at_ns, at_ns + operator_ns);
    at_ns += operator_ns;
    if (!job.extra_operator.empty()) {
      trace.op(job.extra_operator, at_ns, at_ns + 3 * kMillisecond);
      at_ns += 3 * kMillisecond;
    }
    for (int i = 0; i < job.syncs; ++i) {
      trace.op("aten::item", at_ns, at_ns + kMillisecond);
      trace.call("cudaStreamSynchronize", at_ns, at_ns + kMillisecond);
      at_ns += kMillisecond;
    }
    trace.op("aten::conv2d", at_ns, at_ns + job.kernel_ns);
    trace.called(trace.kernel("sgemm", at_ns + 1000, at_ns + job.kernel_ns), "cudaLaunchKernel",
                 at_ns, at_ns + 1000);
    at_ns += job.kernel_ns;
    trace.step(number, begin_ns, at_ns);
  }
  return trace.finish();
}

DiffSide side_of(const Job& job) {
  const traces::Trace trace = trace_of_job(job);
  const Analysis analysis = analyse(trace);
  return diff_side("trace.json", trace, analysis, find_causes(trace, analysis));
}

TraceDiff diff_of(const Job& base, const Job& next) {
  return compare_traces(side_of(base), side_of(next));
}

const DiffTable& table(const TraceDiff& diff, CostKind kind) {
  return diff.tables[static_cast<std::size_t>(kind)];
}

double sum_of_parts(const TraceDiff& diff) {
  return std::accumulate(diff.parts.begin(), diff.parts.end(), 0.0,
                         [](double sum, const DiffRow& row) { return sum + row.difference_ns(); });
}

TEST(TraceDiff, SameTrace_HasNoChange) {
  for (const std::int64_t jitter_ns : {std::int64_t{0}, kMillisecond}) {
    const Job job{.loading_ns = 5 * kMillisecond, .jitter_ns = jitter_ns};
    const TraceDiff diff = diff_of(job, job);
    EXPECT_TRUE(diff.comparable());
    EXPECT_TRUE(diff.nothing_changed());
    EXPECT_EQ(diff.step.difference_ns(), 0);
  }
}

TEST(TraceDiff, SlowerOperator_ComesFirst) {
  const TraceDiff diff = diff_of({}, {.operator_ns = 27 * kMillisecond});
  EXPECT_EQ(diff.step.change, DiffChange::kGrew);
  EXPECT_EQ(diff.step.difference_ns(), 7 * kMillisecond);
  EXPECT_DOUBLE_EQ(sum_of_parts(diff), diff.step.difference_ns());
  const DiffRow& first = table(diff, CostKind::kOperator).rows.front();
  EXPECT_EQ(first.name, "aten::nonzero");
  EXPECT_EQ(first.change, DiffChange::kGrew);
  EXPECT_EQ(first.difference_ns(), 7 * kMillisecond);
  EXPECT_FALSE(table(diff, CostKind::kKernel).rows.front().changed());
}

TEST(TraceDiff, FasterKernel_ShowsTheSavedTime) {
  const TraceDiff diff = diff_of({}, {.kernel_ns = 18 * kMillisecond});
  const DiffRow& first = table(diff, CostKind::kKernel).rows.front();
  EXPECT_EQ(first.change, DiffChange::kShrank);
  EXPECT_EQ(first.difference_ns(), -12 * kMillisecond);
  EXPECT_DOUBLE_EQ(sum_of_parts(diff), -12.0 * kMillisecond);
}

TEST(TraceDiff, AppearedAndVanishedRows_AreNamed) {
  const TraceDiff diff =
      diff_of({.extra_operator = "aten::sort"}, {.syncs = 4, .extra_operator = "aten::topk"});
  const std::vector<DiffRow>& operators = table(diff, CostKind::kOperator).rows;
  EXPECT_EQ(operators[0].name, "aten::item");
  EXPECT_EQ(operators[0].change, DiffChange::kAppeared);
  EXPECT_EQ(operators[0].difference_ns(), 4 * kMillisecond);
  EXPECT_EQ(operators[0].new_count, 4);
  EXPECT_EQ(operators[1].name, "aten::sort");
  EXPECT_EQ(operators[1].change, DiffChange::kVanished);
  EXPECT_EQ(operators[2].name, "aten::topk");
  EXPECT_EQ(operators[2].change, DiffChange::kAppeared);
  EXPECT_EQ(table(diff, CostKind::kCall).rows.front().name, "cudaStreamSynchronize");
  ASSERT_FALSE(diff.findings.empty());
  EXPECT_EQ(diff.findings.front().id, "trace.sync_bound");
  EXPECT_EQ(diff.findings.front().change, DiffChange::kAppeared);
}

TEST(TraceDiff, GrownFinding_IsNamed) {
  const TraceDiff diff =
      diff_of({.loading_ns = 5 * kMillisecond}, {.loading_ns = 10 * kMillisecond});
  ASSERT_FALSE(diff.findings.empty());
  EXPECT_EQ(diff.findings.front().id, "trace.data_exposed");
  EXPECT_EQ(diff.findings.front().change, DiffChange::kGrew);
  EXPECT_EQ(diff.findings.front().next, 10.0 * kMillisecond);
}

TEST(TraceDiff, ChangeWithinNoise_IsNotCounted) {
  const TraceDiff diff =
      diff_of({.jitter_ns = 2 * kMillisecond},
              {.operator_ns = 20 * kMillisecond + kMillisecond / 2, .jitter_ns = 2 * kMillisecond});
  EXPECT_GT(diff.step.difference_ns(), 0);
  EXPECT_EQ(diff.step.change, DiffChange::kNone);
  EXPECT_TRUE(diff.nothing_changed());
  EXPECT_FALSE(
      diff_of({}, {.operator_ns = 20 * kMillisecond + kMillisecond * 3 / 2}).nothing_changed());
}

TEST(TraceDiff, SeveralTraces_PoolTheirSteps) {
  DiffSide base = side_of({});
  base.append(side_of({.operator_ns = 22 * kMillisecond}));
  DiffSide next = side_of({.operator_ns = 31 * kMillisecond});
  next.append(side_of({.operator_ns = 33 * kMillisecond, .extra_operator = "aten::topk"}));
  const TraceDiff diff = compare_traces(base, next);
  EXPECT_EQ(diff.base_steps, 12);
  EXPECT_EQ(table(diff, CostKind::kOperator).rows.front().difference_ns(), 11 * kMillisecond);
  const DiffRow& half = table(diff, CostKind::kOperator).rows[1];
  EXPECT_EQ(half.name, "aten::topk");
  EXPECT_EQ(half.new_ns, 1.5 * kMillisecond) << "of all steps of the side";
  EXPECT_DOUBLE_EQ(sum_of_parts(diff), diff.step.difference_ns());
}

// Each launch is steady; launches differ from each other.
TEST(TraceDiff, ThreeLaunches_UseTheirSpread) {
  const auto launches = [](std::int64_t more_ns) {
    DiffSide side;
    for (const std::int64_t each : {18, 20, 22}) {
      DiffSide launch = side_of({.operator_ns = each * kMillisecond + more_ns});
      if (side.paths.empty()) {
        side = std::move(launch);
      } else {
        side.append(std::move(launch));
      }
    }
    return side;
  };
  const TraceDiff diff = compare_traces(launches(0), launches(3 * kMillisecond));
  EXPECT_EQ(diff.step.difference_ns(), 3 * kMillisecond);
  // Three standard errors of three launches on each side.
  EXPECT_NEAR(diff.step.noise_ns.value_or(0), 3 * std::sqrt(2 * 4.0 / 3) * kMillisecond, 1);
  EXPECT_FALSE(diff.step.changed());
  EXPECT_TRUE(compare_traces(launches(0), launches(6 * kMillisecond)).step.changed());
}

TEST(TraceDiff, IncomparableSides_ReportTheCause) {
  const TraceDiff other_device = diff_of({}, {.device = "Another GPU"});
  EXPECT_FALSE(other_device.comparable());
  EXPECT_THAT(other_device.notes.front().text,
              HasSubstr("Scripted GPU in base, Another GPU in new"));
  DiffSide stacks = side_of({});
  stacks.with_stack = true;
  EXPECT_FALSE(compare_traces(side_of({}), stacks).comparable());
  DiffSide damaged = side_of({});
  damaged.damage = {"records were lost"};
  EXPECT_FALSE(compare_traces(damaged, side_of({})).comparable());
  DiffSide window = side_of({});
  window.window = WindowKind::kHostSpan;
  EXPECT_FALSE(compare_traces(window, side_of({})).comparable());
  const TraceDiff more_steps = diff_of({}, {.steps = 12});
  EXPECT_TRUE(more_steps.comparable());
  EXPECT_THAT(more_steps.notes.front().text, HasSubstr("different numbers of steps"));
}

TEST(TraceDiff, FewSteps_HaveNoKnownSpread) {
  const TraceDiff diff = diff_of({.steps = 3}, {.steps = 3, .operator_ns = 21 * kMillisecond});
  EXPECT_FALSE(diff.step.noise_ns);
  EXPECT_FALSE(diff.step.changed()) << "2 % of the step";
  EXPECT_THAT(diff.notes.front().text, HasSubstr("fewer than three steps"));
}

TEST(TraceDiff, TableSums_IncludeAllRows) {
  const TraceDiff diff = diff_of({.syncs = 1}, {.operator_ns = 22 * kMillisecond, .syncs = 3});
  for (const DiffTable& each : diff.tables) {
    double difference_ns = 0;
    for (const DiffRow& row : each.rows) difference_ns += row.difference_ns();
    EXPECT_DOUBLE_EQ(difference_ns, each.sum.difference_ns());
  }
  EXPECT_EQ(table(diff, CostKind::kOperator).sum.difference_ns(), 4 * kMillisecond)
      << "the step thread is always inside an operator";
}

struct Speed {
  std::int64_t product_us = 200;
  std::int64_t reduce_us = 100;
};

// Eight steps of 1 ms: a product of 4096 x 4096 matrices in bf16, then an all-reduce of 4 MB.
DiffSide side_at(const Speed& speed) {
  TraceMaker maker;
  for (std::int64_t i = 0; i < 8; ++i) {
    const std::int64_t at_ns = i * 1000 * kUs;
    maker.step(i, at_ns, at_ns + 1000 * kUs);
    shaped_op(maker, maker.main,
              {.shapes = "[[4096, 4096], [4096, 4096]]",
               .types = R"(["c10::BFloat16", "c10::BFloat16"])"},
              at_ns + 10 * kUs, at_ns + 30 * kUs);
    maker.called(maker.kernel("gemm", at_ns + 40 * kUs, at_ns + (40 + speed.product_us) * kUs),
                 "cudaLaunchKernel", at_ns + 12 * kUs, at_ns + 14 * kUs);
    traces::CollectiveDetail detail;
    detail.name = maker.builder.text("allreduce");
    detail.dtype = maker.builder.text("Float");
    detail.ranks = maker.builder.text("[0, 1, 2, 3]");
    detail.group_size = 4;
    detail.in_elements = detail.out_elements = 1'000'000;
    const traces::KernelDetail kernel{.collective = maker.builder.detail(detail)};
    const std::uint32_t index = maker.builder.detail(kernel);
    traces::TraceEvent& reduce = maker.kernel("ncclDevKernel_AllReduce", at_ns + 500 * kUs,
                                              at_ns + (500 + speed.reduce_us) * kUs, 30);
    reduce.detail = index;
    maker.called(reduce, "cudaLaunchKernelExC", at_ns + 495 * kUs, at_ns + 498 * kUs);
  }
  const traces::Trace trace = maker.finish();
  const Analysis analysis = analyse(trace);
  return diff_side("trace.json", trace, analysis, find_causes(trace, analysis));
}

TEST(DiffOfWork, FasterProduct_HasTwiceTheRate) {
  const TraceDiff diff = compare_traces(side_at({}), side_at({.product_us = 100}));
  ASSERT_EQ(table(diff, CostKind::kShape).rows.size(), 1);
  const DiffRow& row = table(diff, CostKind::kShape).rows.front();
  EXPECT_EQ(row.name, "aten::mm [4096, 4096] [4096, 4096] bf16");
  EXPECT_EQ(row.phase, "forward");
  EXPECT_EQ(row.change, DiffChange::kShrank);
  EXPECT_DOUBLE_EQ(row.difference_ns(), -100.0 * kUs);
  const double flops = 2.0 * 4096 * 4096 * 4096;
  EXPECT_DOUBLE_EQ(*row.base_rate, flops / (200.0 * kUs));
  EXPECT_DOUBLE_EQ(*row.new_rate, flops / (100.0 * kUs));
  EXPECT_FALSE(table(diff, CostKind::kCollective).rows.front().changed());
}

TEST(DiffOfWork, SlowerCollective_UsesLessOfTheBus) {
  const TraceDiff diff = compare_traces(side_at({}), side_at({.reduce_us = 300}));
  ASSERT_EQ(table(diff, CostKind::kCollective).rows.size(), 1);
  const DiffRow& row = table(diff, CostKind::kCollective).rows.front();
  EXPECT_EQ(row.name, "allreduce 3.81 MiB fp32");
  EXPECT_EQ(row.change, DiffChange::kGrew);
  EXPECT_DOUBLE_EQ(*row.base_rate, 4e6 * 1.5 / (100.0 * kUs));
  EXPECT_DOUBLE_EQ(*row.new_rate, 4e6 * 1.5 / (300.0 * kUs));
}

}  // namespace
}  // namespace stepbench::traces
