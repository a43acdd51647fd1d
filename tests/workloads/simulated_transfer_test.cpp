// SPDX-License-Identifier: Apache-2.0
// Every placement on a device whose streams run in random order: what a step computes on is the
// batch that it was given, whatever the order.
#include <gtest/gtest.h>

#include <atomic>

#include "tests/workloads/simulated_device.h"
#include "tests/workloads/test_case.h"
#include "workloads/transfer/transfer.h"

namespace stepbench {
namespace {

constexpr int kSteps = 24;
constexpr unsigned kOrders = 300;

struct Outcome {
  int wrong = 0;
  int computed = 0;
  int live_after = 0;
  std::size_t events_after = 0;
};

// Steps that read their batch on the device: one kernel early, one late.
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
  const auto next_batch = [&] {
    const std::int64_t size = index % 5 == 4 ? 2 : 4;  // some are partial
    return test::numbered_batch(index++, size, live);
  };
  for (int k = 0; k < kSteps; ++k) {
    step.start_step(k);
    const torch_loader::BatchTensors batch = transfer->next(next_batch, step);
    for (const at::Tensor& tensor : {batch.input, batch.target, batch.input}) {
      device.compute([&outcome, k, data = tensor.data_ptr<float>(), size = tensor.numel()] {
        ++outcome.computed;
        if (!std::all_of(data, data + size, [k](float x) { return x == static_cast<float>(k); })) {
          ++outcome.wrong;
        }
      });
    }
  }
  device.finish();
  transfer.reset();
  outcome.live_after = *live;
  outcome.events_after = device.live_events();
  return outcome;
}

class SimulatedTransfer : public testing::TestWithParam<std::string> {};

TEST_P(SimulatedTransfer, EachStepComputesOnItsOwnBatchWhateverTheOrderOfStreams) {
  for (unsigned order = 0; order < kOrders; ++order) {
    const Outcome outcome = train(GetParam(), order);
    ASSERT_EQ(outcome.computed, 3 * kSteps);
    ASSERT_EQ(outcome.wrong, 0) << "order " << order;
  }
}

TEST_P(SimulatedTransfer, HostMemoryGoesBackOnceItsCopyIsDoneAndEventsAreDestroyed) {
  for (unsigned order = 0; order < 20; ++order) {
    const Outcome outcome = train(GetParam(), order);
    EXPECT_EQ(outcome.live_after, 0) << "order " << order;
    EXPECT_EQ(outcome.events_after, 0U) << "order " << order;
  }
}

INSTANTIATE_TEST_SUITE_P(Placements, SimulatedTransfer,
                         testing::Values("inline", "inline_non_blocking", "prefetch_stream"),
                         [](const auto& placement) { return placement.param; });

}  // namespace
}  // namespace stepbench
