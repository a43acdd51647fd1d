// SPDX-License-Identifier: Apache-2.0
#include "workloads/transfer/internal/copy_ahead.h"

#include <gmock/gmock.h>

#include <stdexcept>

#include "tests/workloads/test_case.h"
#include "workloads/loader/sample_order.h"
#include "workloads/transfer/internal/resident_batches.h"

namespace stepbench {
namespace {

using testing::ElementsAre;

// Logs its calls in the order in which a device would receive them.
class LoggedCopies final : public transfer::CopyStream {
 public:
  explicit LoggedCopies(std::vector<std::string>& log) : log_(log) {}
  DeviceStream handle() const override { return {nullptr}; }
  void wait_for_compute(std::size_t slot) override { say("side waits for compute of", slot); }
  torch_loader::BatchTensors copy(std::size_t slot, const Batch& batch) override {
    log_.push_back("copy batch " + std::to_string(batch.index) + " to " + std::to_string(slot));
    return {};
  }
  void copied(std::size_t slot) override { say("mark copied", slot); }
  void make_compute_stream_wait(std::size_t slot) override {
    say("compute waits for copy to", slot);
  }
  void compute_done(std::size_t slot) override { say("mark computed", slot); }

 private:
  void say(const std::string& what, std::size_t slot) {
    log_.push_back(what + " " + std::to_string(slot));
  }
  std::vector<std::string>& log_;
};

struct BufferScene {
  torch_loader::BatchTensors next() {
    step.start_step(steps++);
    torch_loader::BatchTensors tensors = buffer.next(
        [&] {
          if (index == throw_at) throw std::runtime_error("a worker died");
          return Batch{.fields = {}, .size = 1, .index = index++, .owner = nullptr};
        },
        step);
    log.emplace_back("step");
    return tensors;
  }
  TickClock clock;
  StepRecorder step{clock};
  std::vector<std::string> log;
  transfer::DoubleBuffer buffer{std::make_unique<LoggedCopies>(log)};
  std::int64_t index = 0;
  std::int64_t steps = 0;
  std::int64_t throw_at = -1;
};

TEST(DoubleBuffer, FirstStep_WaitsForItsOwnCopy) {
  BufferScene scene;
  (void)scene.next();
  EXPECT_THAT(scene.log,
              ElementsAre("side waits for compute of 0", "copy batch 0 to 0", "mark copied 0",
                          "compute waits for copy to 0", "side waits for compute of 1",
                          "copy batch 1 to 1", "mark copied 1", "step"));
}

TEST(DoubleBuffer, Slot_IsReusedAfterItsComputation) {
  BufferScene scene;
  (void)scene.next();
  scene.log.clear();
  (void)scene.next();
  (void)scene.next();
  EXPECT_THAT(scene.log, ElementsAre("mark computed 0", "compute waits for copy to 1",
                                     "side waits for compute of 0", "copy batch 2 to 0",
                                     "mark copied 0", "step", "mark computed 1",
                                     "compute waits for copy to 0", "side waits for compute of 1",
                                     "copy batch 3 to 1", "mark copied 1", "step"));
}

TEST(DoubleBuffer, Copy_IsMarkedAsItsPhase) {
  BufferScene scene;
  (void)scene.next();
  const auto h2d = static_cast<std::uint32_t>(PhaseId::kH2d);
  EXPECT_NE(scene.step.current().occurred >> h2d & 1U, 0U);
}

TEST(DoubleBuffer, ThrowingLoader_LosesOneBatch) {
  BufferScene scene;
  (void)scene.next();
  scene.throw_at = 2;
  EXPECT_THROW((void)scene.next(), std::runtime_error);
  scene.throw_at = -1;
  scene.log.clear();
  (void)scene.next();
  EXPECT_THAT(scene.log, testing::Contains("copy batch 2 to 0"));
}

TEST(DoubleBuffer, Step_IsMarkedWithItsUsedBatch) {
  TickClock clock;
  StepRecorder step(clock);
  std::vector<std::string> log;
  transfer::DoubleBuffer buffer(std::make_unique<LoggedCopies>(log));
  std::int64_t taken = 0;
  for (const std::int64_t used : {0, 1, 2, 3}) {
    (void)buffer.next(
        [&] {
          const bool last = taken++ % 3 == 2;
          return Batch{.fields = {}, .size = last ? 1 : 4, .partial = last, .owner = nullptr};
        },
        step);
    EXPECT_EQ(taken, used + 2);
    EXPECT_EQ(buffer.marks().samples, used == 2 ? 1 : 4);
    EXPECT_EQ(buffer.marks().partial, used == 2);
  }
}

// Batches of four numbers, each with the value of its index.
Batch numbered(std::vector<float>& memory, std::int64_t index, std::int64_t size) {
  memory.assign(static_cast<std::size_t>(size), static_cast<float>(index));
  auto* data = reinterpret_cast<std::byte*>(memory.data());
  return {.fields = {{data, {.name = "x", .shape = {}}}, {data, {.name = "y", .shape = {}}}},
          .size = size,
          .index = index,
          .owner = nullptr};
}

TEST(DoubleBuffer, CpuBatches_StayInOrder) {
  TickClock clock;
  StepRecorder step(clock);
  transfer::DoubleBuffer buffer(transfer::make_copy_stream(at::kCPU, true));
  std::vector<float> memory;
  std::int64_t index = 0;
  const auto next_batch = [&] {
    const Batch batch = numbered(memory, index, index % 3 == 2 ? 2 : 4);  // some are partial
    ++index;
    return batch;
  };
  for (int k = 0; k < 7; ++k) {
    step.start_step(k);
    const torch_loader::BatchTensors tensors = buffer.next(next_batch, step);
    ASSERT_EQ(tensors.input.numel(), k % 3 == 2 ? 2 : 4);
    EXPECT_EQ(tensors.input[0].item<float>(), static_cast<float>(k));
    EXPECT_EQ(tensors.target[1].item<float>(), static_cast<float>(k));
  }
}

TEST(ResidentBatches, JoinedEpochs_HaveNoBorder) {
  std::vector<float> memory = {10, 11, 12};
  auto* data = reinterpret_cast<std::byte*>(memory.data());
  const Batch all{
      .fields = {{data, {.name = "x", .shape = {}}}, {data, {.name = "y", .shape = {}}}},
      .size = 3,
      .owner = nullptr};
  transfer::ResidentBatches batches(all, at::kCPU, {.batch_size = 2, .joined = true},
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
  auto* data = reinterpret_cast<std::byte*>(memory.data());
  const Batch all{
      .fields = {{data, {.name = "x", .shape = {}}}, {data, {.name = "y", .shape = {}}}},
      .size = 5,
      .owner = nullptr};
  transfer::ResidentBatches batches(all, at::kCPU, {.batch_size = 2}, [](std::int64_t epoch) {
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
