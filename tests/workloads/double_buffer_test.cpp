// SPDX-License-Identifier: Apache-2.0
#include "workloads/transfer/internal/copy_ahead.h"

#include "tests/testing.h"
#include "tests/workloads/test_case.h"
#include "workloads/loader/batches.h"
#include "workloads/transfer/internal/resident_batches.h"

namespace stepbench {
namespace {

Batch batch_of(std::vector<float>& memory) {
  auto* data = reinterpret_cast<std::byte*>(memory.data());
  return {.fields = {{data, {.name = "x", .shape = {}}}, {data, {.name = "y", .shape = {}}}},
          .size = std::ssize(memory),
          .owner = nullptr};
}

// Copies in parallel to steps are in simulated_transfer_test.cpp.
struct BufferScene {
  // Batches of four numbers, each with the value of its index; each third one is partial. The
  // loader's memory is the same for all.
  transfer::BatchTensors next() {
    step.start_step(steps++);
    return buffer.next(
        [&] {
          if (taken == throw_at) throw std::runtime_error("a worker died");
          const bool last = taken % 3 == 2;
          memory.assign(last ? 2 : 4, static_cast<float>(taken));
          Batch batch = batch_of(memory);
          batch.index = taken++;
          batch.partial = last;
          return batch;
        },
        step);
  }
  TickClock clock;
  StepRecorder step{clock};
  transfer::DoubleBuffer buffer{transfer::make_copy_stream(at::kCPU, true)};
  std::vector<float> memory;
  std::int64_t taken = 0;
  std::int64_t steps = 0;
  std::int64_t throw_at = -1;
};

TEST(DoubleBuffer, Step_HasItsBatchAndMarks) {
  BufferScene scene;
  for (std::int64_t k = 0; k < 7; ++k) {
    const transfer::BatchTensors tensors = scene.next();
    const std::int64_t size = k % 3 == 2 ? 2 : 4;
    EXPECT_EQ(scene.taken, k + 2) << "one is copied ahead";
    ASSERT_EQ(tensors.input.numel(), size);
    EXPECT_EQ(tensors.input[0].item<float>(), static_cast<float>(k));
    EXPECT_EQ(tensors.target[1].item<float>(), static_cast<float>(k));
    EXPECT_EQ(scene.buffer.marks().samples, size);
    EXPECT_EQ(scene.buffer.marks().partial, size == 2);
    const auto h2d = static_cast<std::uint32_t>(PhaseId::kH2d);
    EXPECT_NE(scene.step.current().occurred >> h2d & 1U, 0U);
  }
}

TEST(DoubleBuffer, ThrowingLoader_LosesOneBatch) {
  BufferScene scene;
  (void)scene.next();
  scene.throw_at = 2;
  EXPECT_THROW((void)scene.next(), std::runtime_error);
  scene.throw_at = -1;
  EXPECT_EQ(scene.next().input[0].item<float>(), 2);
}

TEST(ResidentBatches, JoinedEpochs_HaveNoBorder) {
  std::vector<float> memory = {10, 11, 12};
  transfer::ResidentBatches batches(batch_of(memory), at::kCPU, {.batch_size = 2, .joined = true},
                                    loader::sequential_order(3));
  TickClock clock;
  StepRecorder step(clock);
  for (const auto& [first, second] : {std::pair(10, 11), std::pair(12, 10), std::pair(11, 12)}) {
    const at::Tensor input = batches.next(step).input;
    EXPECT_EQ(input[0].item<float>(), static_cast<float>(first));
    EXPECT_EQ(input[1].item<float>(), static_cast<float>(second));
    batches.marks().put_on(step);
    EXPECT_EQ(step.current().flags, 0);
  }
}

TEST(ResidentBatches, OrderAndMarks_AreTheLoaders) {
  std::vector<float> memory = {10, 11, 12, 13, 14};
  transfer::ResidentBatches batches(batch_of(memory), at::kCPU, {.batch_size = 2},
                                    [](std::int64_t epoch) {
                                      return epoch == 0 ? std::vector<std::int64_t>{4, 3, 2, 1, 0}
                                                        : std::vector<std::int64_t>{0, 1, 2, 3, 4};
                                    });
  memory.assign(5, 0);  // they hold a copy
  TickClock clock;
  StepRecorder step(clock);
  std::vector<float> firsts;
  std::vector<std::int64_t> flags;
  for (int k = 0; k < 5; ++k) {
    step.start_step(k);
    firsts.push_back(batches.next(step).input[0].item<float>());
    batches.marks().put_on(step);
    flags.push_back(step.current().flags);
  }
  EXPECT_THAT(firsts, ElementsAre(14, 12, 10, 10, 12));
  EXPECT_THAT(flags, ElementsAre(0, 0, kPartialBatch, kEpochBorder, 0));
}

}  // namespace
}  // namespace stepbench
