// SPDX-License-Identifier: Apache-2.0
// What other tools say of a trace: TensorBoard's plug-in, HolisticTraceAnalysis, TraceLens.
#include <gtest/gtest.h>

#include "harness/analyze/holistic.h"
#include "harness/analyze/tensorboard.h"
#include "tests/unit/analyze/drawn_trace.h"

namespace stepbench::analyze {
namespace {

using testing::draw;
using testing::drawn;
using testing::Drawn;
using testing::expect_numbers;
using testing::kUs;
using testing::numbers_of;
using testing::TraceMaker;

constexpr Drawn kTensorboard[] = {
    {"a step ends with the last device row that it launched, which hides the next one's fetch",
     "step 1 0 100; step 2 100 200; load 0 20; load 100 125; op aten::mm 30 60; "
     "kernel gemm 70 130 < 40 50; op aten::mm 140 150; kernel gemm 150 180 < 142 148",
     "tb_step_time/steps/# = 2; tb_step_time/steps/0/window/start_ns = 0; "
     "tb_step_time/steps/0/window/end_ns = 130; tb_step_time/steps/0/Kernel_ns = 60; "
     "tb_step_time/steps/0/Runtime_ns = 10; tb_step_time/steps/0/DataLoader_ns = 20; "
     "|tb_step_time/steps/0/CPU Exec_ns| = 20; tb_step_time/steps/0/Other_ns = 20; "
     "tb_step_time/steps/1/window/start_ns = 130; tb_step_time/steps/1/window/end_ns = 200; "
     "tb_step_time/steps/1/Kernel_ns = 30; tb_step_time/steps/1/DataLoader_ns = 0; "
     "tb_step_time/mean/total_ns = 100"},
    {"calls of the driver launch too, and are no calls of the runtime",
     "step 1 0 100; op triton 10 40; kernel triton_poi 80 140 < cuLaunchKernelEx 20 30",
     "tb_step_time/steps/0/window/end_ns = 140; tb_step_time/steps/0/Runtime_ns = 0; "
     "|tb_step_time/steps/0/CPU Exec_ns| = 30"},
    {"nothing is left to the next role where one took all time",
     "step 1 0 100; op aten::mm 0 100; kernel gemm 0 100; copy across 10 60",
     "tb_step_time/steps/0/Kernel_ns = 100; tb_step_time/steps/0/Memcpy_ns = 0; "
     "|tb_step_time/steps/0/CPU Exec_ns| = 0"},
    {"communication is known by its name",
     "step 1 0 100; op nccl:all_reduce 10 20; kernel gemm 60 80; "
     "kernel ncclDevKernel_AllReduce_Sum_f32_RING_LL 30 70",
     "tb_step_time/steps/0/Kernel_ns = 20; tb_step_time/steps/0/Communication_ns = 40"},
    // [10, 20) half full, [20, 40) full, [40, 50) three quarters: 32.5 of 100.
    {"how full the device is",
     "step 1 0 100; op aten::mm 0 4; op aten::add 10 14; "
     "kernel ampere_h1688gemm 10 40 blocks=0.5 occupancy=80 < 1 3; "
     "kernel add 20 50 blocks=0.75 occupancy=20 stream=8 < 11 13",
     "tb_step_time/gpus/# = 1; tb_step_time/gpus/0/utilization = 0.4; "
     "tb_step_time/gpus/0/sm_efficiency = 0.325; tb_step_time/gpus/0/occupancy_percent = 50; "
     "tb_step_time/gpus/0/tensor_core_share = 0.5; tb_step_time/eligible_share = 0.5"},
    {"a trace without host rows has no steps of the plug-in", "kernel gemm 30 60",
     "tb_step_time = null; tb_step_time_reason ~ no op or annotation"},
};

TEST(Tensorboard, StepsAreThoseOfThePlugin) { testing::expect_all(kTensorboard); }

TEST(Tensorboard, LeavesOutLastStepsOfWhichTooLittleWasRecorded) {
  TraceMaker maker;
  for (std::int64_t i = 0; i < 4; ++i) {
    maker.step(i, 100 * i, 100 * i + 100);
    for (std::int64_t row = 0; row < (i < 2 ? 5 : i == 2 ? 3 : 0); ++row) {
      draw(maker, "kernel gemm 5 10 < 0 4", 1, 100 * i + 15 * row);
    }
  }
  const Analysis analysis = analyse(maker.finish());
  EXPECT_EQ(analysis.tensorboard->steps.size(), 2U);
  EXPECT_EQ(analysis.tensorboard->left_out, 2U);
}

constexpr Drawn kHolistic[] = {
    {"what the last step launched is left out",
     "step 1 0 100; step 2 100 200; kernel gemm 20 60 < 10 15; kernel gemm 105 115 < 90 95; "
     "kernel gemm 130 180 < 120 125; kernel orphan 5 8",
     "hta/temporal/kernel_time_ns = 95; hta/temporal/compute_ns = 50; hta/temporal/idle_ns = 45; "
     "hta/temporal/non_compute_ns = 0"},
    {"of 50 ns of communication 20 are overlapped",
     "step 1 0 100; kernel gemm 0 50; copy pinned 40 90; "
     "kernel ncclDevKernel_AllReduce_Sum_f32_RING_LL 30 80 stream=13",
     "hta/overlap_share = 0.4"},
    {"without communication there is no overlap", "kernel gemm 0 50", "hta/overlap_share = null"},
    // 2 GB/s, 5 while both run, 3.
    {"bandwidths of copies that run at once add up",
     "step 1 0 100; copy pinned 0 20 bytes=40; copy up 10 30 bytes=60 stream=21; "
     "copy down 0 10 bytes=10",
     "hta/bandwidth/# = 2; hta/bandwidth/0/kind = Memcpy DtoH; hta/bandwidth/1/kind = Memcpy HtoD; "
     "hta/bandwidth/1/count = 3; hta/bandwidth/1/min = 2; hta/bandwidth/1/median = 3; "
     "hta/bandwidth/1/max = 5; hta/bandwidth/1/mean = 3.3333333333333335"},
};

TEST(Holistic, NumbersAreThoseOfHta) { testing::expect_all(kHolistic); }

TEST(Holistic, OverlapsAreSharedOutByWhatRan) {
  const Analysis analysis =
      analyse(drawn("step 1 0 100; kernel gemm 0 50; copy pinned 40 90; "
                    "kernel ncclDevKernel_AllReduce_Sum_f32_RING_LL 30 80 stream=13"));
  // Bits: 1 computes, 2 communicates, 4 copies.
  EXPECT_EQ(analysis.holistic->overlaps.ns,
            (std::array<std::int64_t, 8>{0, 30, 0, 10, 10, 0, 30, 10}));
}

// Queued in time and 20 us late: the device's own; launched after the stream stood still; queued in
// time and 120 us late.
TEST(Holistic, TellsWhyEachStreamStoodStill) {
  const trace::Trace trace = drawn(
      "step 1 0 1000; kernel gemm 10 20 < 5 7; kernel gemm 40 50 < 15 17; kernel gemm 70 80 < 60 "
      "62; "
      "kernel gemm 200 210 < 62 64; kernel gemm 300 310 stream=9 < 100 102",
      kUs);
  expect_numbers(numbers_of(trace),
                 "hta/streams/# = 2; hta/streams/0/stream = 7; hta/streams/0/host_wait_ns = 20000; "
                 "hta/streams/0/kernel_wait_ns = 20000; hta/streams/0/other_ns = 120000; "
                 "hta/streams/1/host_wait_ns = 0; hta/streams/1/kernel_wait_ns = 0; "
                 "hta/streams/1/other_ns = 0");
  EXPECT_EQ(analyse(trace).holistic->streams.front().gaps, (std::array<std::int64_t, 3>{1, 1, 1}));
}

TEST(DeviceTimeline, TellsWhenTheDeviceWasBusy) {
  const Analysis analysis =
      analyse(drawn("kernel gemm 100 130; copy down 125 145; kernel gemm 390 400"));
  std::vector<double> busy(30);  // of 10 ns each
  busy[0] = busy[1] = busy[2] = busy[3] = busy[29] = 1;
  busy[4] = 0.5;
  EXPECT_EQ(analysis.tracelens->front().busy_over_time, busy);
}

}  // namespace
}  // namespace stepbench::analyze
