// SPDX-License-Identifier: Apache-2.0
#include "harness/analyze/steps.h"

#include <gtest/gtest.h>

#include "tests/unit/analyze/trace_maker.h"

namespace stepbench::analyze {
namespace {

using ::stepbench::testing::TraceMaker;

Steps steps_of(const trace::Trace& trace, const StepOptions& options = {}) {
  return find_steps(Timeline(trace), options);
}

TEST(Steps, LastFromOneStartToTheNextAndTheLastToItsOwnEnd) {
  TraceMaker maker;
  maker.step(5, 0, 90);
  maker.step(6, 100, 190);
  maker.step(7, 200, 280);
  maker.op("aten::mm", 10, 20);
  const Steps steps = steps_of(maker.finish());
  EXPECT_EQ(steps.window, WindowKind::kHostStep);
  EXPECT_EQ(steps.windows(), (std::vector<TimeSpan>{{0, 100}, {100, 200}, {200, 280}}));
  EXPECT_EQ(steps.steps[1].number, 6);
  EXPECT_TRUE(steps.steps[0].edge);
  EXPECT_FALSE(steps.steps[1].edge);
  EXPECT_TRUE(steps.steps[2].edge);
  EXPECT_EQ(steps.counted(), std::vector<std::size_t>{1});
  EXPECT_TRUE(steps.reason.empty());
}

TEST(Steps, EndWithTheirOwnRowBeforeAGapInTheirNumbers) {
  TraceMaker maker;
  maker.step(5, 0, 90);
  maker.step(8, 100, 190);
  maker.step(8, 300, 310);
  maker.op("aten::mm", 10, 20);
  const Steps steps = steps_of(maker.finish());
  EXPECT_EQ(steps.windows(), (std::vector<TimeSpan>{{0, 90}, {100, 190}}));
  EXPECT_EQ(steps.gaps, 2);
  EXPECT_EQ(steps.duplicates, 1);
}

TEST(Steps, OfATraceWithoutThemAreAllItsOps) {
  TraceMaker maker;
  maker.op("aten::mm", 10, 20);
  maker.op("aten::add", 40, 70);
  maker.row(maker.main, trace::EventKind::kAnnotation, "whole script", 0, 500);
  const Steps steps = steps_of(maker.finish());
  EXPECT_EQ(steps.window, WindowKind::kHostSpan);
  EXPECT_EQ(steps.windows(), (std::vector<TimeSpan>{{10, 70}}));
  EXPECT_NE(steps.reason.find("no ProfilerStep rows"), std::string::npos);
}

TEST(Steps, OfATraceWithoutThemReachToTheEndOfTheDevicesWork) {
  TraceMaker maker;
  maker.op("aten::mm", 10, 20);
  maker.called(maker.kernel("gemm", 30, 500), "cudaLaunchKernel", 12, 15);
  const Steps steps = steps_of(maker.finish());
  EXPECT_EQ(steps.window, WindowKind::kHostSpan);
  EXPECT_EQ(steps.windows(), (std::vector<TimeSpan>{{10, 500}}));
  EXPECT_EQ(steps.steps[0].mark, (TimeSpan{10, 20})) << "the ops' alone, as other tools count";
}

// Three steps whose backward, on a thread of its own, has three times the rows of the rest.
void add_backward(TraceMaker& maker, std::int64_t at) {
  for (std::int64_t i = 0; i < 12; ++i) {
    maker.op_on(99, "autograd::engine::evaluate_function: AddmmBackward0", at + i, at + i + 1);
  }
}

TEST(Steps, OfATraceWithoutThemLieBetweenTheFetchesOfData) {
  TraceMaker maker;
  for (const std::int64_t at : {0, 100, 200}) {
    maker.loading(at, at + 10);
    maker.op("aten::mm", at + 20, at + 60);
    add_backward(maker, at + 60);
  }
  const trace::Trace trace = maker.finish();
  for (const bool from_loading : {false, true}) {
    const Steps steps = steps_of(trace, {.from_loading = from_loading});
    EXPECT_EQ(steps.window, WindowKind::kLoading);
    EXPECT_EQ(steps.windows(), (std::vector<TimeSpan>{{0, 100}, {100, 200}, {200, 260}}));
    EXPECT_EQ(trace.lanes[steps.lane].tid, 4711) << "not autograd's thread, which has more rows";
    EXPECT_NE(steps.reason.find("two fetches of data"), std::string::npos) << steps.reason;
  }
}

TEST(Steps, OfSeveralBatchesEachLieBetweenTheStepsOfTheOptimizer) {
  TraceMaker maker;
  for (std::int64_t batch = 0; batch < 8; ++batch) {
    const std::int64_t at = 100 * batch;
    maker.loading(at, at + 10);
    maker.op("aten::mm", at + 20, at + 60);
    if (batch % 2 == 0) continue;
    maker.row(maker.main, trace::EventKind::kAnnotation, "Optimizer.step#SGD.step", at + 70,
              at + 90);
  }
  const trace::Trace trace = maker.finish();
  EXPECT_EQ(steps_of(trace).windows(),
            (std::vector<TimeSpan>{{0, 200}, {200, 400}, {400, 600}, {600, 790}}));
  EXPECT_EQ(steps_of(trace, {.from_loading = true}).steps.size(), 8U);
}

TEST(Steps, OfATraceWithoutFetchesLieBetweenTheRowsOfARepeatedAnnotation) {
  TraceMaker maker;
  for (std::int64_t i = 0; i < 4; ++i) {
    const std::int64_t at = 100 * i;
    const std::string number = std::to_string(i);
    maker.row(maker.main, trace::EventKind::kAnnotation, "forward " + number, at, at + 30);
    maker.op("aten::mm", at + 5, at + 30);
    maker.row(maker.main, trace::EventKind::kAnnotation, "backward " + number, at + 30, at + 90);
    maker.op("aten::mm", at + 35, at + 80);
    add_backward(maker, at + 40);
  }
  const Steps steps = steps_of(maker.finish());
  EXPECT_EQ(steps.window, WindowKind::kMarks);
  EXPECT_EQ(steps.windows(), (std::vector<TimeSpan>{{0, 100}, {100, 200}, {200, 300}, {300, 390}}));
  EXPECT_NE(steps.reason.find("'forward 0'"), std::string::npos) << steps.reason;
}

TEST(Steps, AreSaidToBeAbsentWhereNothingRepeats) {
  TraceMaker maker;
  maker.loading(0, 10);
  maker.op("aten::mm", 20, 60);
  const Steps steps = steps_of(maker.finish(), {.from_loading = true});
  EXPECT_EQ(steps.window, WindowKind::kHostSpan);
  EXPECT_NE(steps.reason.find("no row that repeats"), std::string::npos);
  EXPECT_NE(steps.reason.find("--steps-from-loading needs three fetches"), std::string::npos);
}

TEST(Steps, RunOnAThreadThatIsNotAutogradsWhereNoRowMarksThem) {
  TraceMaker maker;
  maker.op("aten::mm", 0, 10);
  add_backward(maker, 20);
  const trace::Trace trace = maker.finish();
  EXPECT_EQ(trace.lanes[steps_of(trace).lane].tid, 4711);
}

TEST(Steps, OfATraceWithoutHostRowsAreAllItsDeviceRows) {
  TraceMaker maker;
  maker.kernel("gemm", 30, 60);
  maker.kernel("gemm", 80, 90);
  const Steps steps = steps_of(maker.finish());
  EXPECT_EQ(steps.window, WindowKind::kDeviceSpan);
  EXPECT_EQ(steps.windows(), (std::vector<TimeSpan>{{30, 90}}));
}

TEST(Steps, OfAnEmptyTraceAreNone) {
  const Steps steps = steps_of(trace::Trace{});
  EXPECT_TRUE(steps.steps.empty());
  EXPECT_TRUE(steps.counted().empty());
  EXPECT_FALSE(steps.reason.empty());
}

TEST(Steps, OnAThreadOfTheirOwnLeaveTheBusiestThreadToExplainTheirTime) {
  TraceMaker maker;
  const std::uint32_t other = maker.builder.host_lane(99, 99);
  maker.row(other, trace::EventKind::kAnnotation, "ProfilerStep#1", 0, 100);
  maker.op("aten::mm", 10, 20);
  maker.op("aten::add", 30, 40);
  const trace::Trace trace = maker.finish();
  const Steps steps = steps_of(trace);
  EXPECT_TRUE(steps.other_thread);
  EXPECT_EQ(trace.lanes[steps.lane].tid, 4711);
  EXPECT_EQ(steps.step_pid, 99);
}

TEST(Steps, BeyondTheRecordedSpanAreCutAndLeftOut) {
  constexpr std::int64_t kMs = 1'000'000;
  TraceMaker maker;
  maker.step(1, 0, 100 * kMs);
  maker.step(2, 100 * kMs, 900 * kMs);
  maker.op("aten::mm", 10, 20);
  maker.row(maker.builder.other_lane("Spans"), trace::EventKind::kSpan, "PyTorch Profiler (0)",
            -kMs, 150 * kMs);
  const Steps steps = steps_of(maker.finish());
  EXPECT_EQ(steps.clipped, 1);
  ASSERT_EQ(steps.steps.size(), 2U);
  EXPECT_EQ(steps.steps[1].window, (TimeSpan{100 * kMs, 150 * kMs}));
  EXPECT_TRUE(steps.steps[1].truncated);
  EXPECT_EQ(steps.counted(), std::vector<std::size_t>{0});
}

TEST(Steps, AreTruncatedWhereTheLastOnesLaunchedTooLittle) {
  TraceMaker maker;
  for (std::int64_t i = 0; i < 4; ++i) {
    maker.step(i, 100 * i, 100 * i + 100);
    const std::int64_t rows = i == 3 ? 3 : 4;
    for (std::int64_t row = 0; row < rows; ++row) {
      const std::int64_t at = 100 * i + 20 * row;
      maker.called(maker.kernel("gemm", at + 10, at + 25), "cudaLaunchKernel", at, at + 5);
    }
  }
  const Steps steps = steps_of(maker.finish());
  ASSERT_EQ(steps.steps.size(), 4U);
  EXPECT_EQ(steps.steps[0].device_rows, 4);
  EXPECT_EQ(steps.steps[3].device_rows, 3);
  EXPECT_TRUE(steps.steps[3].truncated);
  EXPECT_FALSE(steps.steps[2].truncated);
  EXPECT_EQ(steps.counted(), (std::vector<std::size_t>{1, 2}));
}

TEST(Steps, TellHowMuchOfTheirWorkRanAfterTheirEnd) {
  TraceMaker maker;
  maker.step(1, 0, 100);
  maker.step(2, 100, 200);
  maker.called(maker.kernel("gemm", 90, 130), "cudaLaunchKernel", 80, 85);
  maker.called(maker.kernel("relu", 130, 140), "cudaLaunchKernel", 86, 90);
  const Steps steps = steps_of(maker.finish());
  EXPECT_EQ(steps.steps[0].device_rows, 2);
  EXPECT_EQ(steps.steps[0].spill_ns, 40);
  EXPECT_EQ(steps.steps[1].device_rows, 0);
}

TEST(Steps, ThatWereAskedForCountAloneEdgesToo) {
  TraceMaker maker;
  for (std::int64_t i = 0; i < 5; ++i) maker.step(i, 100 * i, 100 * i + 100);
  maker.op("aten::mm", 10, 20);
  const trace::Trace trace = maker.finish();
  EXPECT_EQ(steps_of(trace, {.numbers = {{0, 1}}}).counted(), (std::vector<std::size_t>{0, 1}));
  EXPECT_TRUE(steps_of(trace, {.numbers = {{7, 9}}}).counted().empty());
}

}  // namespace
}  // namespace stepbench::analyze
