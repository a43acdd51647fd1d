// SPDX-License-Identifier: Apache-2.0
#include "harness/traces/internal/trace_builder.h"

#include "tests/testing.h"

namespace stepbench::traces {
namespace {

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
