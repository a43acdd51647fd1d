// SPDX-License-Identifier: Apache-2.0
#include "harness/traces/internal/device_work.h"

#include "tests/testing.h"
#include "tests/unit/traces/drawn_trace.h"

namespace stepbench::traces {
namespace {

// [10, 20) half full, [20, 40) full, [40, 50) three quarters: 32.5 of 100.
TEST(DeviceUse, KernelsThatOverlap_FillTogether) {
  const Analysis analysis =
      analyse(drawn("step 1 0 100; op aten::mm 0 4; op aten::add 10 14; "
                    "kernel ampere_h1688gemm 10 40 blocks=0.5 occupancy=80 < 1 3; "
                    "kernel add 20 50 blocks=0.75 occupancy=20 stream=8 < 11 13"));
  ASSERT_EQ(analysis.device_use.size(), 1U);
  EXPECT_DOUBLE_EQ(*analysis.device_use[0].sm_efficiency, 0.325);
  EXPECT_DOUBLE_EQ(*analysis.device_use[0].occupancy_percent, 50);
  EXPECT_DOUBLE_EQ(*analysis.eligible_share, 0.5);
}

TEST(DeviceUse, WorkThatOutlastsItsStep_CountsWhole) {
  const Analysis analysis = analyse(
      drawn("step 1 0 100; op aten::mm 0 4; kernel gemm 50 150 blocks=1 occupancy=50 < 1 3; "
            "kernel next 150 250 blocks=1 occupancy=100 < 101 102"));
  EXPECT_DOUBLE_EQ(*analysis.device_use[0].sm_efficiency, 100.0 / 150);
  EXPECT_DOUBLE_EQ(*analysis.device_use[0].occupancy_percent, 50);
}

TEST(DeviceUse, AllRowKinds_AreBusyTime) {
  const Analysis analysis =
      analyse(drawn("kernel gemm 100 130; copy down 125 145; kernel gemm 390 400"));
  std::vector<double> busy(DeviceUse::kChunks);  // of 10 ns each
  busy[0] = busy[1] = busy[2] = busy[3] = busy[29] = 1;
  busy[4] = 0.5;
  EXPECT_EQ(analysis.device_use.front().busy_over_time, busy);
  EXPECT_FALSE(analysis.device_use.front().sm_efficiency);
}

}  // namespace
}  // namespace stepbench::traces
