// SPDX-License-Identifier: Apache-2.0
// Events against activity records: two clocks on the same steps.
#include <ATen/ops/mm.h>
#include <ATen/ops/rand.h>
#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "tests/gpu/device_scene.h"
#include "workloads/step/device.h"

namespace stepbench::gpu {
namespace {

// Products of square matrices in two phases; the host is done long before the device.
class Products final : public Workload {
 public:
  Products(std::int64_t size, int forward, int backward)
      : a_(at::rand({size, size}, at::TensorOptions().device(at::kCUDA))),
        b_(at::rand({size, size}, at::TensorOptions().device(at::kCUDA))),
        forward_(forward),
        backward_(backward) {}
  std::optional<std::string> set_up() override { return std::nullopt; }
  void step(StepRecorder& step) override {
    {
      const auto phase = step.phase(PhaseId::kForward);
      for (int i = 0; i < forward_; ++i) c_ = at::mm(a_, b_);
    }
    const auto phase = step.phase(PhaseId::kBackward);
    for (int i = 0; i < backward_; ++i) c_ = at::mm(b_, a_);
  }
  void synchronize() override { synchronize_device(at::Device(at::kCUDA, 0)); }
  void tear_down() override {}
  Fingerprint fingerprint() override { return {0, 0}; }

 private:
  at::Tensor a_, b_, c_;
  int forward_, backward_;
};

struct Interval {
  std::int64_t begin = std::numeric_limits<std::int64_t>::max();
  std::int64_t end = 0;
  std::int64_t busy = 0;
};

std::map<std::uint64_t, Interval> device_work(const OpLog& log) {
  std::map<std::uint64_t, Interval> of;
  for (const DeviceActivity& activity : log.activities) {
    if (activity.kind != ActivityKind::kKernel && activity.kind != ActivityKind::kMemcpy &&
        activity.kind != ActivityKind::kMemset) {
      continue;
    }
    Interval& interval = of[activity.external];
    interval.begin = std::min(interval.begin, activity.start_ns);
    interval.end = std::max(interval.end, activity.end_ns);
    interval.busy += activity.end_ns - activity.start_ns;
  }
  return of;
}

TEST(Gpu, OnADeviceBoundStepAPhasesEventsSpanItsActivity) {
  STEPBENCH_NEED_GPU(api);
  const auto collector = make_activity_collector();
  if (const auto why = collector->start()) GTEST_SKIP() << *why;
  Products work(4096, 8, 16);
  const Columns cycle = measure(api, work, 20, collector.get());
  OpLog log;
  collector->collect(log);
  EXPECT_EQ(collector->incomplete(), std::nullopt);
  const auto of = device_work(log);
  const std::vector<std::int64_t>& index = cycle.at("index");
  for (std::size_t i = 0; i < index.size(); ++i) {
    if (i < 2) continue;  // the host needs a step to get ahead
    ASSERT_GT(cycle.at("host_lead_ns")[i], 1'000'000);
    const Interval& forward = of.at(Attribution::id_of(index[i], PhaseId::kForward));
    const Interval& backward = of.at(Attribution::id_of(index[i], PhaseId::kBackward));
    const auto activity = static_cast<double>(backward.end - forward.end);
    const auto events = static_cast<double>(cycle.at("backward_device_ns")[i]);
    EXPECT_NEAR(events, activity, std::max(0.02 * activity, 5000.0)) << "step " << index[i];
  }
}

TEST(Gpu, EventsNeverSpanLessThanTheActivityBetweenThem) {
  STEPBENCH_NEED_GPU(api);
  const auto collector = make_activity_collector();
  if (const auto why = collector->start()) GTEST_SKIP() << *why;
  Products work(256, 20, 20);  // small kernels: the device waits for the host
  const Columns cycle = measure(api, work, 50, collector.get());
  OpLog log;
  collector->collect(log);
  const auto of = device_work(log);
  const std::vector<std::int64_t>& index = cycle.at("index");
  for (std::size_t i = 0; i < index.size(); ++i) {
    for (const auto& [phase, column] : {std::pair{PhaseId::kForward, "forward_device_ns"},
                                        std::pair{PhaseId::kBackward, "backward_device_ns"}}) {
      EXPECT_GE(cycle.at(column)[i] + 5000, of.at(Attribution::id_of(index[i], phase)).busy);
    }
  }
}

TEST(Gpu, StepsTakeAsLongWithTheCollectorAsWithoutWithinTheNoiseOfADeviceBoundStep) {
  STEPBENCH_NEED_GPU(api);
  Products work(4096, 8, 16);
  const auto median_of = [](std::vector<std::int64_t> values) {
    std::nth_element(values.begin(),
                     values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2), values.end());
    return static_cast<double>(values[values.size() / 2]);
  };
  const double without = median_of(measure(api, work, 20).at("step_device_ns"));
  const auto collector = make_activity_collector();
  if (const auto why = collector->start()) GTEST_SKIP() << *why;
  const double with = median_of(measure(api, work, 20, collector.get()).at("step_device_ns"));
  RecordProperty("without_ns", std::to_string(without));
  RecordProperty("with_ns", std::to_string(with));
  EXPECT_NEAR(with / without, 1.0, 0.1);
}

TEST(Gpu, AHundredThousandStepsMakeNoNewEventAndTakeNoMoreMemory) {
  STEPBENCH_NEED_GPU(api);
  Products work(16, 1, 1);
  (void)measure(api, work, 1000);
  const auto before = device_memory(at::Device(at::kCUDA, 0));
  const Columns cycle = measure(api, work, 100'000);
  const auto after = device_memory(at::Device(at::kCUDA, 0));
  EXPECT_EQ(cycle.at("step_device_ns").size(), 100'000U);
  ASSERT_TRUE(before && after);
  EXPECT_EQ(before->reserved_bytes, after->reserved_bytes);
}

}  // namespace
}  // namespace stepbench::gpu
