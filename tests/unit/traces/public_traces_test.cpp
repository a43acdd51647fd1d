// SPDX-License-Identifier: Apache-2.0
// Published traces from every period of torch.profiler.
#include "harness/traces/trace_files.h"

#include "tests/testing.h"

namespace stepbench::traces {
namespace {

class PublicTraces : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!fs::exists(fs::path(TRACES) / "tb_plugin")) {
      GTEST_SKIP() << "the public traces are not here";
    }
  }
  static Trace read(const char* name) { return read_trace(fs::path(TRACES) / name); }
};

std::vector<std::int64_t> steps_of(const Trace& trace) {
  std::vector<std::int64_t> steps;
  for (const TraceLane& lane : trace.lanes) {
    for (const TraceEvent& event : lane.events) {
      if (event.kind != EventKind::kAnnotation) continue;
      if (trace.facts_of(event).step >= 0) steps.push_back(trace.facts_of(event).step);
    }
  }
  return steps;
}

TEST_F(PublicTraces, TraceOf2021_HasAllItsRows) {
  const Trace trace =
      read("tb_plugin/samples/resnet50_num_workers_0/worker0.1623143089861.pt.trace.json.gz");
  EXPECT_EQ(trace.count(EventKind::kOp) + trace.count(EventKind::kAnnotation), 23'646);
  EXPECT_EQ(trace.count(EventKind::kRuntime), 11'923);
  EXPECT_EQ(trace.count(EventKind::kKernel), 8'772);
  EXPECT_EQ(trace.count(EventKind::kMemcpy), 12);
  EXPECT_EQ(trace.count(EventKind::kMemset), 312);
  EXPECT_EQ(trace.memory.size(), 12'838U);
  EXPECT_EQ(trace.memory.front().total_allocated, -1) << "its rows have no totals";
  EXPECT_EQ(steps_of(trace), (std::vector<std::int64_t>{5, 6, 7, 8, 9, 10}));
  EXPECT_EQ(trace.resolution_ns, 1000);
  EXPECT_EQ(trace.rank, std::nullopt);
  EXPECT_TRUE(trace.reading.compressed);
  EXPECT_FALSE(trace.reading.damaged());
  EXPECT_TRUE(trace.reading.ignored.empty());
  ASSERT_EQ(trace.devices.size(), 4U);
  EXPECT_EQ(trace.devices[0].name, "Tesla V100-DGXS-32GB");
  EXPECT_EQ(trace.devices[0].multiprocessors, 80);
  EXPECT_EQ(trace.devices[0].total_memory_bytes, 34'084'028'416);

  ASSERT_EQ(trace.lanes.size(), 4U) << "two threads, one stream, one span";
  const TraceLane& stream = trace.lanes[2];
  EXPECT_EQ(stream.kind, LaneKind::kStream);
  EXPECT_EQ(stream.stream, 7) << "in the file its tid is the text \"stream 7\"";
  const TraceEvent& copy = stream.events.front();
  EXPECT_EQ(copy.start_ns, 1'623'142'623'529'248'000);
  EXPECT_EQ(copy.duration_ns(), 1'940'000);
  EXPECT_EQ(copy.correlation, 34'417U);
  EXPECT_EQ(copy.external, 537U);
  EXPECT_EQ(copy.value, 19'267'584);
  EXPECT_EQ(trace.facts_of(copy).from, MemoryKind::kPageable);
  const auto first =
      std::find_if(stream.events.begin(), stream.events.end(),
                   [](const TraceEvent& event) { return event.kind == EventKind::kKernel; });
  EXPECT_TRUE(trace.name_of(*first).starts_with("cask_cudnn::computeOffsetsKernel("));
  const KernelDetail* kernel = trace.kernel_detail(*first);
  ASSERT_NE(kernel, nullptr);
  EXPECT_EQ(kernel->grid[0], 50);
  EXPECT_EQ(kernel->block[0], 256);
  EXPECT_EQ(kernel->blocks_per_sm, 0.625);
  EXPECT_EQ(kernel->occupancy_percent, 8);
}

TEST_F(PublicTraces, TraceWithoutDevice_HasItsRank) {
  const Trace trace = read("hta/cpu_only/rank-34.Jul_15_10_52_41.1074.pt.trace.json.gz");
  EXPECT_EQ(trace.rank, 34);
  EXPECT_EQ(trace.world, 300);
  EXPECT_EQ(trace.backend, "gloo");
  EXPECT_TRUE(trace.devices.empty());
  EXPECT_EQ(trace.resolution_ns, 1);
  EXPECT_TRUE(trace.base_ns.has_value());
  EXPECT_EQ(trace.count(EventKind::kKernel), 0);
  EXPECT_TRUE(std::any_of(trace.lanes.begin(), trace.lanes.end(), [](const TraceLane& lane) {
    return lane.tid == 3553 && lane.name == "thread 3553 (pt_main_thread)";
  }));
}

TEST_F(PublicTraces, WaitingRows_AreSeparate) {
  const Trace trace = read(
      "hta/critical_path/simple_add/"
      "benchmark_result_493459_1694039959_trace.json.gz");
  EXPECT_TRUE(steps_of(trace).empty());
  int streams = 0;
  for (const TraceLane& lane : trace.lanes) {
    streams += lane.kind == LaneKind::kStream ? 1 : 0;
    for (const TraceEvent& event : lane.events) {
      EXPECT_EQ(lane.kind == LaneKind::kStream, is_device_work(event.kind));
      if (event.kind == EventKind::kSync) {
        EXPECT_EQ(lane.kind, LaneKind::kDeviceNotes);
      }
    }
  }
  EXPECT_EQ(streams, 2);
  EXPECT_EQ(trace.count(EventKind::kSync), 41);
}

}  // namespace
}  // namespace stepbench::traces
