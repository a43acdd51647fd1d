// SPDX-License-Identifier: Apache-2.0
#include "harness/analyze/holistic.h"

#include <gtest/gtest.h>

#include "harness/analyze/analysis.h"
#include "tests/unit/analyze/trace_maker.h"

namespace stepbench::analyze {
namespace {

using ::stepbench::testing::kUs;
using ::stepbench::testing::TraceMaker;

TEST(Holistic, LeavesOutWhatTheLastStepLaunched) {
  TraceMaker maker;
  maker.step(1, 0, 100);
  maker.step(2, 100, 200);
  maker.called(maker.kernel("gemm", 20, 60), "cudaLaunchKernel", 10, 15);
  maker.called(maker.kernel("gemm", 105, 115), "cudaLaunchKernel", 90, 95);
  maker.called(maker.kernel("gemm", 130, 180), "cudaLaunchKernel", 120, 125);
  maker.kernel("orphan", 5, 8);
  const Analysis analysis = analyse(maker.finish());
  ASSERT_TRUE(analysis.holistic);
  EXPECT_EQ(analysis.holistic->temporal.kernel_time_ns, 95);
  EXPECT_EQ(analysis.holistic->temporal.compute_ns, 50);
  EXPECT_EQ(analysis.holistic->temporal.idle_ns, 45);
  EXPECT_EQ(analysis.holistic->temporal.non_compute_ns, 0);
}

TEST(Holistic, TellsWhatOverlapped) {
  TraceMaker maker;
  maker.step(1, 0, 100);
  maker.kernel("gemm", 0, 50);
  maker.kernel("ncclDevKernel_AllReduce_Sum_f32_RING_LL", 30, 80, 13);
  maker.copy("Memcpy HtoD (Pinned -> Device)", 40, 90);
  const Analysis analysis = analyse(maker.finish());
  const auto& ns = analysis.holistic->overlaps.ns;
  EXPECT_EQ(ns[1], 30);  // computation alone
  EXPECT_EQ(ns[2], 0);
  EXPECT_EQ(ns[1 + 2], 10);
  EXPECT_EQ(ns[1 + 2 + 4], 10);
  EXPECT_EQ(ns[2 + 4], 30);
  EXPECT_EQ(ns[4], 10);
  EXPECT_DOUBLE_EQ(*analysis.holistic->overlap_share, 20.0 / 50.0);
}

TEST(Holistic, SaysNothingOfOverlapWithoutCommunication) {
  TraceMaker maker;
  maker.kernel("gemm", 0, 50);
  EXPECT_FALSE(analyse(maker.finish()).holistic->overlap_share);
}

TEST(Holistic, TellsWhyEachStreamStoodStill) {
  TraceMaker maker;
  maker.step(1, 0, 1000 * kUs);
  const auto launched = [&](std::int64_t call_us, std::int64_t start_us, std::int64_t end_us,
                            std::int64_t stream) {
    maker.called(maker.kernel("gemm", start_us * kUs, end_us * kUs, stream), "cudaLaunchKernel",
                 call_us * kUs, (call_us + 2) * kUs);
  };
  launched(5, 10, 20, 7);
  launched(15, 40, 50, 7);    // queued in time, 20 us later: the device's own
  launched(60, 70, 80, 7);    // launched after the stream stood still
  launched(62, 200, 210, 7);  // queued in time, 120 us later
  launched(100, 300, 310, 9);
  const Analysis analysis = analyse(maker.finish());
  ASSERT_EQ(analysis.holistic->streams.size(), 2U);
  const HolisticStream& stream = analysis.holistic->streams.front();
  EXPECT_EQ(stream.stream, 7);
  EXPECT_EQ(stream.idle_ns, (std::array<std::int64_t, 3>{20 * kUs, 20 * kUs, 120 * kUs}));
  EXPECT_EQ(stream.gaps, (std::array<std::int64_t, 3>{1, 1, 1}));
  EXPECT_EQ(analysis.holistic->streams.back().idle_ns, (std::array<std::int64_t, 3>{}));
}

TEST(Holistic, AddsUpTheBandwidthOfCopiesThatRunAtOnce) {
  TraceMaker maker;
  maker.step(1, 0, 100);
  maker.copy("Memcpy HtoD (Pinned -> Device)", 0, 20, 40);         // 2 GB/s
  maker.copy("Memcpy HtoD (Pageable -> Device)", 10, 30, 60, 21);  // 3 GB/s
  maker.copy("Memcpy DtoH (Device -> Pinned)", 0, 10, 10);
  const Analysis analysis = analyse(maker.finish());
  ASSERT_EQ(analysis.holistic->bandwidth.size(), 2U);
  EXPECT_EQ(analysis.holistic->bandwidth.front().kind, "Memcpy DtoH");
  const HolisticBandwidth& up = analysis.holistic->bandwidth.back();
  EXPECT_EQ(up.kind, "Memcpy HtoD");
  EXPECT_EQ(up.count, 3);  // 2, 5, 3
  EXPECT_DOUBLE_EQ(up.min, 2);
  EXPECT_DOUBLE_EQ(up.median, 3);
  EXPECT_DOUBLE_EQ(up.max, 5);
  EXPECT_DOUBLE_EQ(up.mean, 10.0 / 3);
}

TEST(DeviceTimeline, TellsWhenTheDeviceWasBusy) {
  TraceMaker maker;
  maker.kernel("gemm", 100, 130);
  maker.copy("Memcpy DtoH (Device -> Pinned)", 125, 145);
  maker.kernel("gemm", 390, 400);
  const Analysis analysis = analyse(maker.finish());
  ASSERT_EQ(analysis.tracelens->size(), 1U);
  const std::vector<double>& busy = analysis.tracelens->front().busy_over_time;
  ASSERT_EQ(busy.size(), 30U);  // of 10 ns each
  EXPECT_DOUBLE_EQ(busy[0], 1);
  EXPECT_DOUBLE_EQ(busy[3], 1);
  EXPECT_DOUBLE_EQ(busy[4], 0.5);
  EXPECT_DOUBLE_EQ(busy[5], 0);
  EXPECT_DOUBLE_EQ(busy[29], 1);
}

}  // namespace
}  // namespace stepbench::analyze
