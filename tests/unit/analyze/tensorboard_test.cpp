// SPDX-License-Identifier: Apache-2.0
#include "harness/analyze/tensorboard.h"

#include <gtest/gtest.h>

#include "harness/analyze/analysis.h"
#include "tests/unit/analyze/trace_maker.h"

namespace stepbench::analyze {
namespace {

using ::stepbench::testing::TraceMaker;
using Role = TensorboardRole;

TEST(Tensorboard, EndsAStepWithTheLastDeviceRowThatItLaunched) {
  TraceMaker maker;
  maker.step(1, 0, 100);
  maker.step(2, 100, 200);
  maker.loading(0, 20);
  maker.loading(100, 125);
  maker.op("aten::mm", 30, 60);
  maker.called(maker.kernel("gemm", 70, 130), "cudaLaunchKernel", 40, 50);
  maker.op("aten::mm", 140, 150);
  maker.called(maker.kernel("gemm", 150, 180), "cudaLaunchKernel", 142, 148);
  const Analysis analysis = analyse(maker.finish());
  ASSERT_TRUE(analysis.tensorboard);
  ASSERT_EQ(analysis.tensorboard->steps.size(), 2U);
  const TensorboardStep& first = analysis.tensorboard->steps[0];
  EXPECT_EQ(first.window, (TimeSpan{0, 130}));
  EXPECT_EQ(first.of(Role::kKernel), 60);
  EXPECT_EQ(first.of(Role::kRuntime), 10);
  // The fetch of the second step is hidden by the kernel of the first one.
  EXPECT_EQ(first.of(Role::kDataLoader), 20);
  EXPECT_EQ(first.of(Role::kCpuExec), 20);
  EXPECT_EQ(first.of(Role::kOther), 20);
  const TensorboardStep& second = analysis.tensorboard->steps[1];
  EXPECT_EQ(second.window, (TimeSpan{130, 200}));
  EXPECT_EQ(second.of(Role::kKernel), 30);
  EXPECT_EQ(second.of(Role::kDataLoader), 0);
  EXPECT_DOUBLE_EQ(analysis.tensorboard->mean_total_ns, 100);
}

TEST(Tensorboard, KnowsCallsOfTheDriver) {
  TraceMaker maker;
  maker.step(1, 0, 100);
  maker.op("triton", 10, 40);
  maker.called(maker.kernel("triton_poi", 80, 140), "cuLaunchKernelEx", 20, 30,
               trace::EventKind::kDriver);
  const Analysis analysis = analyse(maker.finish());
  const TensorboardStep& step = analysis.tensorboard->steps.front();
  EXPECT_EQ(step.window, (TimeSpan{0, 140}));
  EXPECT_EQ(step.of(Role::kRuntime), 0);
  EXPECT_EQ(step.of(Role::kCpuExec), 30);
}

TEST(Tensorboard, LeavesNothingToTheNextRoleWhereOneTookAllTime) {
  TraceMaker maker;
  maker.step(1, 0, 100);
  maker.op("aten::mm", 0, 100);
  maker.kernel("gemm", 0, 100);
  maker.copy("Memcpy DtoD (Device -> Device)", 10, 60);
  const Analysis analysis = analyse(maker.finish());
  const TensorboardStep& step = analysis.tensorboard->steps.front();
  EXPECT_EQ(step.of(Role::kKernel), 100);
  EXPECT_EQ(step.of(Role::kMemcpy), 0);
  EXPECT_EQ(step.of(Role::kCpuExec), 0);
}

TEST(Tensorboard, KnowsCommunicationByName) {
  TraceMaker maker;
  maker.step(1, 0, 100);
  maker.op("nccl:all_reduce", 10, 20);
  maker.kernel("ncclDevKernel_AllReduce_Sum_f32_RING_LL", 30, 70);
  maker.kernel("gemm", 60, 80);
  const Analysis analysis = analyse(maker.finish());
  const TensorboardStep& step = analysis.tensorboard->steps.front();
  EXPECT_EQ(step.of(Role::kKernel), 20);
  EXPECT_EQ(step.of(Role::kCommunication), 40);
}

TEST(Tensorboard, LeavesOutLastStepsOfWhichTooLittleWasRecorded) {
  TraceMaker maker;
  for (std::int64_t i = 0; i < 4; ++i) {
    maker.step(i, 100 * i, 100 * i + 100);
    for (std::int64_t row = 0; row < (i < 2 ? 5 : i == 2 ? 3 : 0); ++row) {
      const std::int64_t at = 100 * i + 15 * row;
      maker.called(maker.kernel("gemm", at + 5, at + 10), "cudaLaunchKernel", at, at + 4);
    }
  }
  const Analysis analysis = analyse(maker.finish());
  EXPECT_EQ(analysis.tensorboard->steps.size(), 2U);
  EXPECT_EQ(analysis.tensorboard->left_out, 2U);
}

TEST(Tensorboard, EstimatesHowFullTheDeviceIs) {
  TraceMaker maker;
  maker.step(1, 0, 100);
  const auto op_with_kernel = [&](std::string_view op, std::string_view kernel, std::int64_t at,
                                  std::int64_t until, double blocks, double occupancy,
                                  std::int64_t stream) {
    maker.op(op, at, at + 4);
    trace::KernelDetail detail;
    detail.blocks_per_sm = blocks;
    detail.occupancy_percent = occupancy;
    const std::uint32_t index = maker.builder.detail(detail);
    trace::TraceEvent& row = maker.kernel(kernel, at + 10, until, stream);
    row.detail = index;
    maker.called(row, "cudaLaunchKernel", at + 1, at + 3);
  };
  op_with_kernel("aten::mm", "ampere_h1688gemm", 0, 40, 0.5, 80, 7);
  op_with_kernel("aten::add", "add", 10, 50, 0.75, 20, 8);
  const Analysis analysis = analyse(maker.finish());
  ASSERT_EQ(analysis.tensorboard->gpus.size(), 1U);
  const TensorboardGpu& gpu = analysis.tensorboard->gpus.front();
  EXPECT_DOUBLE_EQ(gpu.utilization, 0.4);
  // [10, 20) half full, [20, 40) full, [40, 50) three quarters.
  EXPECT_DOUBLE_EQ(*gpu.sm_efficiency, (5 + 20 + 7.5) / 100);
  EXPECT_DOUBLE_EQ(*gpu.occupancy_percent, (30 * 80 + 30 * 20) / 60.0);
  EXPECT_DOUBLE_EQ(*gpu.tensor_core_share, 0.5);
  EXPECT_DOUBLE_EQ(*analysis.tensorboard->eligible_share, 0.5);
}

TEST(Tensorboard, SaysNothingOfATraceWithoutHostRows) {
  TraceMaker maker;
  maker.kernel("gemm", 30, 60);
  const Analysis analysis = analyse(maker.finish());
  EXPECT_FALSE(analysis.tensorboard);
  EXPECT_NE(analysis.tensorboard.reason().find("no op or annotation"), std::string::npos);
}

}  // namespace
}  // namespace stepbench::analyze
