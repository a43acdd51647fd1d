// SPDX-License-Identifier: Apache-2.0
#include "harness/traces/trace_files.h"

#include "harness/traces/internal/trace_builder.h"
#include "tests/testing.h"
#include "tests/unit/ops/log_maker.h"

namespace stepbench::traces {
namespace {

TEST(TraceOf, Rows_AreInTheLaneOfTheirThread) {
  LogMaker maker;
  maker.step(7, 1'000'000, 1'100'000);
  maker.phase("data_wait", 7, 1'000'000, 1'020'000);
  maker.phase("forward", 7, 1'020'000, 1'060'000);
  maker.op("aten::add", 1'030'000, 1'031'000, 1);
  const Trace trace = trace_of(maker.log, {.unix_offset_ns = 5});
  ASSERT_EQ(trace.lanes.size(), 3U);
  EXPECT_EQ(trace.base_ns, 1'000'005);
  const TraceLane& step = trace.lanes[0];
  EXPECT_EQ(step.tid, 4711);
  EXPECT_EQ(step.name, "thread 4711 (step)");
  ASSERT_EQ(step.events.size(), 3U);
  EXPECT_EQ(trace.facts_of(step.events[0]).step, 7);
  EXPECT_TRUE(trace.facts_of(step.events[1]).data_wait);
  EXPECT_EQ(trace.name_of(step.events[2]), "stepbench::forward");
  EXPECT_EQ(step.events[2].start_ns, 20'000);
  EXPECT_EQ(step.events[2].duration_ns(), 40'000);
  EXPECT_EQ(trace.name_of(trace.lanes[1].events[0]), "aten::add");
  EXPECT_EQ(trace.lanes[2].events[0].kind, EventKind::kSpan);
  EXPECT_EQ(trace.lanes[2].events[0].duration_ns(), 100'000);
}

TEST(TraceOf, CallsAndDeviceRows_ShareCorrelation) {
  LogMaker maker;
  maker.shaped("aten::mm", "[[2,3], [3, 4]]", 1000, 5000).sequence = 3;
  maker.activity(ops::ActivityKind::kRuntime, "cudaLaunchKernel", 2000, 2500, 31, 0);
  maker.activity(ops::ActivityKind::kKernel, "gemm", 4000, 9000, 31, 0).grid[0] = 4;
  maker.activity(ops::ActivityKind::kMemcpy, "Memcpy HtoD (Pinned -> Device)", 9000, 9500, 32)
      .bytes = 8;
  const Trace trace = trace_of(maker.log);
  ASSERT_EQ(trace.lanes.size(), 3U);
  const std::vector<TraceEvent>& host = trace.lanes[0].events;
  ASSERT_EQ(host.size(), 2U);
  EXPECT_EQ(host[0].value, 3) << "its sequence number";
  EXPECT_EQ(trace.text(trace.op_detail(host[0])->shapes), "[[2, 3], [3, 4]]");
  EXPECT_EQ(host[1].kind, EventKind::kRuntime);
  EXPECT_EQ(host[1].correlation, 31U);
  EXPECT_EQ(host[1].external, 1U);
  const TraceLane& stream = trace.lanes[1];
  EXPECT_EQ(stream.kind, LaneKind::kStream);
  EXPECT_EQ(stream.stream, 7);
  ASSERT_EQ(stream.events.size(), 2U);
  EXPECT_EQ(stream.events[0].correlation, 31U);
  EXPECT_EQ(trace.kernel_detail(stream.events[0])->grid[0], 4);
  EXPECT_EQ(stream.events[1].value, 8) << "its bytes";
  EXPECT_EQ(trace.kernel_detail(stream.events[1]), nullptr);
}

TEST(TraceOf, EmptyLog_HasItsSpanOnly) {
  const Trace trace = trace_of(ops::OpLog{});
  ASSERT_EQ(trace.lanes.size(), 1U);
  EXPECT_EQ(trace.lanes[0].kind, LaneKind::kOther);
  EXPECT_TRUE(trace.own);
}

TEST(TraceBuilder, Rows_AreSortedWithTheOuterFirst) {
  TraceBuilder builder;
  const std::uint32_t second = builder.host_lane(1, 2);
  const std::uint32_t first = builder.host_lane(1, 1);
  builder.add(second, EventKind::kOp, "b", 10, 20);
  builder.add(first, EventKind::kRuntime, "cudaLaunchKernel", 5, 9);
  builder.add(first, EventKind::kOp, "inner", 5, 9);
  builder.add(first, EventKind::kOp, "outer", 5, 20);
  builder.add(first, EventKind::kOp, "early", 1, 4);
  const Trace trace = builder.finish();
  ASSERT_EQ(trace.lanes.size(), 2U);
  EXPECT_EQ(trace.lanes[0].tid, 1);
  std::string names;
  for (const TraceEvent& event : trace.lanes[0].events) {
    names += trace.name_of(event) + ' ';
    EXPECT_EQ(event.lane, 0U);
  }
  EXPECT_EQ(names, "early outer inner cudaLaunchKernel ");
}

TEST(TraceBuilder, EqualEntries_AreStoredOnce) {
  TraceBuilder builder;
  for (int i = 0; i < 1000; ++i) {
    EXPECT_EQ(builder.name("kernel " + std::to_string(i)), static_cast<std::uint32_t>(i));
  }
  EXPECT_EQ(builder.name("kernel 500"), 500U);
  KernelDetail kernel;
  kernel.grid[0] = 3;
  const std::uint32_t made = builder.detail(kernel);
  EXPECT_EQ(builder.detail(kernel), made);
  kernel.blocks_per_sm = 0.5;
  EXPECT_NE(builder.detail(kernel), made);
  EXPECT_EQ(builder.text("[[2]]"), builder.text("[[2]]"));
}

TEST(TraceBuilder, NegativeDuration_IsAMark) {
  TraceBuilder builder;
  builder.add(builder.stream_lane(0, 7), EventKind::kKernel, "k", 10, 8);
  const Trace trace = builder.finish();
  EXPECT_TRUE(trace.lanes[0].events[0].negative);
  EXPECT_EQ(trace.lanes[0].events[0].duration_ns(), 0);
}

}  // namespace
}  // namespace stepbench::traces
