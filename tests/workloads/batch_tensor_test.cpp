// SPDX-License-Identifier: Apache-2.0
#include "workloads/transfer/internal/batch_tensor.h"

#include "harness/base/error.h"
#include "tests/testing.h"
#include "tests/workloads/test_case.h"
#include "workloads/transfer/transfer.h"

namespace stepbench {
namespace {

Batch batch_of(std::shared_ptr<std::vector<float>> memory, std::int64_t size) {
  Batch batch{.fields = {}, .size = size, .owner = memory};
  batch.fields.push_back(
      {reinterpret_cast<std::byte*>(memory->data()), {.name = "image", .shape = {2, 3}}});
  return batch;
}

TEST(BatchTensor, HostBatch_SharesItsMemory) {
  auto memory = std::make_shared<std::vector<float>>(12, 1.0F);
  const at::Tensor tensor = transfer::field_tensor(batch_of(memory, 2), 0);
  EXPECT_EQ(tensor.sizes(), (std::vector<std::int64_t>{2, 2, 3}));
  EXPECT_EQ(tensor.data_ptr(), memory->data());
  memory->back() = 7;
  EXPECT_EQ(tensor[1][1][2].item<float>(), 7);
}

TEST(BatchTensor, LastTensor_KeepsTheOwner) {
  auto memory = std::make_shared<std::vector<float>>(12, 1.0F);
  const std::weak_ptr<std::vector<float>> watch = memory;
  at::Tensor part;
  {
    const Batch batch = batch_of(std::exchange(memory, nullptr), 2);
    part = transfer::field_tensor(batch, 0)[0];
  }
  EXPECT_FALSE(watch.expired());
  part.reset();
  EXPECT_TRUE(watch.expired());
}

TEST(BatchTensor, BatchWithoutTarget_IsRejected) {
  EXPECT_THROW((void)transfer::batch_tensors(batch_of(std::make_shared<std::vector<float>>(6), 1)),
               Error);
}

TEST(BatchTensor, EachFieldType_HasItsTorchType) {
  std::vector<std::int64_t> memory(4);
  Batch batch{.fields = {}, .size = 1, .owner = nullptr};
  for (const DType dtype : {DType::kUInt8, DType::kInt32, DType::kInt64, DType::kFloat32}) {
    batch.fields.push_back(
        {reinterpret_cast<std::byte*>(memory.data()), {.name = "x", .shape = {}, .dtype = dtype}});
  }
  EXPECT_EQ(transfer::field_tensor(batch, 0).scalar_type(), at::kByte);
  EXPECT_EQ(transfer::field_tensor(batch, 1).scalar_type(), at::kInt);
  EXPECT_EQ(transfer::field_tensor(batch, 2).scalar_type(), at::kLong);
  EXPECT_EQ(transfer::field_tensor(batch, 3).scalar_type(), at::kFloat);
}

TEST(Transfer, Cpu_CopiesNothing) {
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
  const transfer::BatchTensors tensors = transfer.to_device(batch, step);
  EXPECT_EQ(tensors.input.data_ptr(), image.data());
  EXPECT_EQ(tensors.target.data_ptr(), label.data());
  EXPECT_EQ(step.current().phase_ns[static_cast<std::size_t>(PhaseId::kH2d)], 0);
}

}  // namespace
}  // namespace stepbench
