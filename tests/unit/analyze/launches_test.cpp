// SPDX-License-Identifier: Apache-2.0
#include "harness/analyze/launches.h"

#include <gtest/gtest.h>

#include "harness/analyze/analysis.h"
#include "tests/unit/analyze/trace_maker.h"

namespace stepbench::analyze {
namespace {

using ::stepbench::testing::kUs;
using ::stepbench::testing::TraceMaker;

TEST(Launches, MeasureTheDelayFromTheEndOfTheCall) {
  TraceMaker maker;
  maker.called(maker.kernel("a", 30 * kUs, 50 * kUs), "cudaLaunchKernel", 0, 10 * kUs);
  maker.called(maker.kernel("b", 50 * kUs, 55 * kUs), "cuLaunchKernelEx", 12 * kUs, 20 * kUs,
               trace::EventKind::kDriver);
  maker.called(maker.kernel("c", 60 * kUs, 61 * kUs), "hipLaunchKernel", 58 * kUs, 70 * kUs);
  const Analysis analysis = analyse(maker.finish());
  ASSERT_TRUE(analysis.launches);
  EXPECT_EQ(analysis.launches->calls, 3);
  EXPECT_EQ(analysis.launches->rows, 3);
  EXPECT_DOUBLE_EQ(analysis.launches->delay.max, 30 * kUs);
  EXPECT_DOUBLE_EQ(analysis.launches->delay.min, 0);
  EXPECT_DOUBLE_EQ(analysis.launches->delay.median, 20 * kUs);
  EXPECT_EQ(analysis.launches->short_kernels, 2);
  // Nothing ran before a; b waited for a, c began while its call was still on its way.
  EXPECT_EQ(analysis.launches->idle_delay_ns, 20 * kUs);
}

TEST(Launches, BlameALongDelayOnlyWhileTheDeviceDidNothing) {
  TraceMaker maker;
  maker.op("aten::mm", 0, 8 * kUs);
  maker.called(maker.kernel("busy", 10 * kUs, 400 * kUs), "cudaLaunchKernel", 1 * kUs, 2 * kUs);
  maker.op("aten::add", 10 * kUs, 20 * kUs);
  maker.called(maker.kernel("queued", 400 * kUs, 410 * kUs), "cudaLaunchKernel", 12 * kUs,
               14 * kUs);
  maker.op("aten::mul", 500 * kUs, 510 * kUs);
  maker.called(maker.kernel("late", 700 * kUs, 710 * kUs), "cudaLaunchKernel", 502 * kUs,
               504 * kUs);
  const trace::Trace trace = maker.finish();
  const Analysis analysis = analyse(trace);
  EXPECT_EQ(analysis.launches->long_delays, 2);
  ASSERT_EQ(analysis.launches->worst.size(), 1U);
  const DelayedLaunch& worst = analysis.launches->worst.front();
  EXPECT_EQ(trace.names[worst.name].text, "late");
  EXPECT_EQ(trace.names[worst.op].text, "aten::mul");
  EXPECT_EQ(worst.idle_ns, 196 * kUs);
}

TEST(Launches, CountAGraphOnceAndItsKernelsEach) {
  TraceMaker maker;
  maker.called(maker.kernel("a", 20, 30), "cudaGraphLaunch", 0, 10);
  const trace::Trace once = maker.finish();
  const std::uint64_t correlation = once.lanes.front().events.front().correlation;
  TraceMaker graph;
  graph.called(graph.kernel("a", 20, 30), "cudaGraphLaunch", 0, 10);
  graph.kernel("b", 30, 40).correlation = correlation;
  graph.kernel("c", 20, 35, 8).correlation = correlation;
  const Analysis analysis = analyse(graph.finish());
  EXPECT_EQ(analysis.launches->calls, 1);
  EXPECT_EQ(analysis.launches->rows, 3);
}

TEST(LaunchQueue, GrowsWithTheCallAndShrinksWithTheWork) {
  TraceMaker maker;
  maker.called(maker.kernel("a", 30, 50), "cudaLaunchKernel", 0, 10);
  maker.called(maker.kernel("b", 50, 60), "cudaLaunchKernel", 10, 20);
  maker.called(maker.kernel("c", 60, 90), "cudaLaunchKernel", 20, 30);
  const Analysis analysis = analyse(maker.finish());
  ASSERT_TRUE(analysis.queues);
  ASSERT_EQ(analysis.queues->size(), 1U);
  const LaunchQueue& queue = analysis.queues->front();
  EXPECT_EQ(queue.changes, 6);
  EXPECT_EQ(queue.max, 3);
  EXPECT_EQ(queue.negative, 0);
  EXPECT_DOUBLE_EQ(queue.mean_at_changes, (1 + 2 + 3 + 2 + 1 + 0) / 6.0);
  // 1 for 10, 2 for 10, 3 for 10, 2 for 20, 1 for 10.
  EXPECT_DOUBLE_EQ(queue.mean, (10 + 20 + 30 + 40 + 10) / 60.0);
  EXPECT_DOUBLE_EQ(queue.median, 2);
  EXPECT_DOUBLE_EQ(queue.p95, 3);
  EXPECT_EQ(queue.full_ns, 0);
}

TEST(LaunchQueue, TellsHowLongItWasFull) {
  TraceMaker maker;
  for (std::int64_t i = 0; i < 1030; ++i) {
    maker.called(maker.kernel("k", 10'000 + i, 10'001 + i), "cudaLaunchKernel", i, i + 1);
  }
  const Analysis analysis = analyse(maker.finish());
  const LaunchQueue& queue = analysis.queues->front();
  EXPECT_EQ(queue.max, 1030);
  // From the 1024th call at 1023 until the 7th row at 10,006.
  EXPECT_EQ(queue.full_ns, 10'006 - 1023);
}

TEST(Launches, SayWhyThereAreNone) {
  TraceMaker maker;
  maker.kernel("gemm", 30, 60);
  const Analysis analysis = analyse(maker.finish());
  EXPECT_FALSE(analysis.launches);
  EXPECT_EQ(analysis.launches.reason(), "the trace has no calls of the runtime or the driver");
  EXPECT_FALSE(analysis.queues);
}

}  // namespace
}  // namespace stepbench::analyze
