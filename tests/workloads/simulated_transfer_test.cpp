// SPDX-License-Identifier: Apache-2.0
// Every placement on a device whose streams run in random order: a step must compute on the batch
// that it was given, in any order.
#include <ATen/record_function.h>

#include <atomic>
#include <deque>
#include <thread>

#include "tests/testing.h"
#include "tests/workloads/simulated_device.h"
#include "tests/workloads/test_case.h"
#include "workloads/transfer/internal/copy_ahead.h"
#include "workloads/transfer/transfer.h"

namespace stepbench {
namespace {

constexpr int kSteps = 24;
constexpr unsigned kOrders = 300;
constexpr std::size_t kReadAhead = 3;

struct Outcome {
  int wrong = 0;
  int computed = 0;
  int live_after = 0;
  std::size_t events_after = 0;
};

// Some are partial.
Batch some_batch(std::int64_t index, const std::shared_ptr<std::atomic<int>>& live) {
  return test::numbered_batch(index, index % 5 == 4 ? 2 : 4, live);
}

// A step that reads its batch on the device: one kernel early, one late.
void compute_on(test::SimulatedDevice& device, const transfer::BatchTensors& batch, int k,
                Outcome& outcome) {
  for (const at::Tensor& tensor : {batch.input, batch.target, batch.input}) {
    device.compute([&outcome, k, data = tensor.data_ptr<float>(), size = tensor.numel()] {
      ++outcome.computed;
      const auto right = [k](float x) { return x == static_cast<float>(k); };
      if (!std::all_of(data, data + size, right)) ++outcome.wrong;
    });
  }
}

Outcome train(const std::string& placement, unsigned order) {
  Outcome outcome;
  const auto live = std::make_shared<std::atomic<int>>(0);
  test::SimulatedDevice device(order);
  const TickClock clock;
  StepRecorder step(clock);
  std::optional<transfer::Transfer> transfer;
  transfer.emplace(
      test::train_case({{"device", std::string("cuda:0")}, {"transfer.placement", placement}}),
      test::kSimulatedDevice);
  std::int64_t index = 0;
  const auto next_batch = [&] { return some_batch(index++, live); };
  for (int k = 0; k < kSteps; ++k) {
    step.start_step(k);
    compute_on(device, transfer->next(next_batch, step), k, outcome);
  }
  device.finish();
  transfer.reset();
  outcome.live_after = *live;
  outcome.events_after = device.live_events();
  return outcome;
}

// A pin thread that starts copies ahead of the steps.
class PinThreadLoop {
 public:
  explicit PinThreadLoop(test::SimulatedDevice& device) : device_(device) {}

  Outcome run() {
    upload_.emplace(transfer::make_upload_stream(test::kSimulatedDevice));
    for (int k = 0; k < kSteps; ++k) {
      while (ahead_.size() < kReadAhead) ahead_.push_back(read());
      train(k);
    }
    ahead_.clear();   // not consumed, and their copies may be in progress
    upload_.reset();  // waits for them
    outcome_.live_after = *live_;
    outcome_.events_after = device_.live_events();
    device_.finish();
    return outcome_;
  }

 private:
  // In a thread, but never in parallel to another one: the same order of the device makes the same
  // test.
  Batch read() {
    Batch batch = some_batch(index_++, live_);
    std::thread([&] {
      upload_->enter_thread();
      batch.device_copy = upload_->upload(batch);
    }).join();
    return batch;
  }
  void train(int k) {
    step_.start_step(k);
    const auto next_batch = [&] {
      Batch batch = std::move(ahead_.front());
      ahead_.pop_front();
      return batch;
    };
    const transfer::BatchTensors batch = upload_->next(next_batch, step_);
    compute_on(device_, batch, k, outcome_);
  }

  test::SimulatedDevice& device_;
  TickClock clock_;
  StepRecorder step_{clock_};
  std::shared_ptr<std::atomic<int>> live_ = std::make_shared<std::atomic<int>>(0);
  std::optional<transfer::PinThreadUpload> upload_;
  std::deque<Batch> ahead_;
  std::int64_t index_ = 0;
  Outcome outcome_;
};

class SimulatedTransfer : public testing::TestWithParam<std::string> {};

// A step computes on its own batch; host memory is returned, and events are destroyed.
TEST_P(SimulatedTransfer, AnyStreamOrder_KeepsBatches) {
  for (unsigned order = 0; order < kOrders; ++order) {
    Outcome outcome;
    if (GetParam() == "pin_thread") {
      test::SimulatedDevice device(order);
      outcome = PinThreadLoop(device).run();
    } else {
      outcome = train(GetParam(), order);
    }
    ASSERT_EQ(outcome.computed, 3 * kSteps);
    ASSERT_EQ(outcome.wrong, 0) << "order " << order;
    ASSERT_EQ(outcome.live_after, 0) << "order " << order;
    ASSERT_EQ(outcome.events_after, 0U) << "order " << order;
  }
}

INSTANTIATE_TEST_SUITE_P(Placements, SimulatedTransfer,
                         testing::Values("inline", "inline_non_blocking", "prefetch_stream",
                                         "pin_thread"),
                         [](const auto& placement) { return placement.param; });

TEST(SimulatedPinThread, NoPinThread_TouchesNoDevice) {
  const auto stream =
      transfer::make_upload_stream(test::kSimulatedDevice);  // there is no device to touch
  EXPECT_NO_THROW(stream->finish());
}

TEST(SimulatedPinThread, Copies_AreNoProfilerOps) {
  static std::atomic<int> heard;
  heard = 0;
  const auto handle =
      at::addGlobalCallback(at::RecordFunctionCallback([](const at::RecordFunction&) {
                              ++heard;
                              return std::unique_ptr<at::ObserverContext>();
                            }).scopes({at::RecordScope::FUNCTION}));
  {
    test::SimulatedDevice device(0);
    const auto live = std::make_shared<std::atomic<int>>(0);
    transfer::PinThreadUpload upload(transfer::make_upload_stream(test::kSimulatedDevice));
    Batch batch = test::numbered_batch(0, 4, live);
    std::thread([&] {
      upload.enter_thread();
      batch.device_copy = upload.upload(batch);
    }).join();
    EXPECT_EQ(heard, 0);
    (void)transfer::batch_tensors(batch).input.to(test::kSimulatedDevice, true);
    device.finish();
  }
  at::removeCallback(handle);
  EXPECT_GT(heard, 0);
}

}  // namespace
}  // namespace stepbench
