// SPDX-License-Identifier: Apache-2.0
#include "workloads/transfer/transfer.h"

#include <gtest/gtest.h>

#include "tests/workloads/test_case.h"

namespace stepbench {
namespace {

TEST(Transfer, OnTheCpuNothingIsCopiedAndNoPhaseIsMarked) {
  std::vector<float> image(12);
  std::vector<std::int64_t> label(2);
  Batch batch{.fields = {}, .size = 2, .owner = nullptr};
  batch.fields.push_back(
      {reinterpret_cast<std::byte*>(image.data()), {.name = "image", .shape = {6}}});
  batch.fields.push_back({reinterpret_cast<std::byte*>(label.data()),
                          {.name = "label", .shape = {}, .dtype = DType::kInt64}});
  const TickClock clock;
  StepRecorder step(clock);
  step.start_step(0);
  transfer::Transfer transfer(test::train_case({}), at::Device(at::kCPU));
  const torch_loader::BatchTensors tensors = transfer.to_device(batch, step);
  EXPECT_EQ(tensors.input.data_ptr(), image.data());
  EXPECT_EQ(tensors.target.data_ptr(), label.data());
  EXPECT_EQ(step.current().phase_ns[static_cast<std::size_t>(PhaseId::kH2d)], 0);
}

}  // namespace
}  // namespace stepbench
