// SPDX-License-Identifier: Apache-2.0
// Compares events with activity records: two clocks on the same steps.
#include "harness/cuda/device_activity.h"
#include "tests/gpu/device_scene.h"
#include "tests/gpu/products.h"
#include "tests/testing.h"

namespace stepbench::gpu {
namespace {

// The device work with one mark; `busy` is the union of its times.
struct DeviceInterval {
  std::int64_t begin = std::numeric_limits<std::int64_t>::max();
  std::int64_t end = 0;
  std::int64_t busy = 0;
  std::int64_t kernels = 0;
};

std::map<std::uint64_t, DeviceInterval> device_work(const ops::OpLog& log) {
  std::map<std::uint64_t, DeviceInterval> of;
  for (const ops::DeviceActivity& activity : log.activities) {  // in order of start
    if (activity.kind != ops::ActivityKind::kKernel &&
        activity.kind != ops::ActivityKind::kMemcpy &&
        activity.kind != ops::ActivityKind::kMemset) {
      continue;
    }
    DeviceInterval& interval = of[activity.external];
    interval.busy +=
        std::max<std::int64_t>(0, activity.end_ns - std::max(activity.start_ns, interval.end));
    interval.begin = std::min(interval.begin, activity.start_ns);
    interval.end = std::max(interval.end, activity.end_ns);
    interval.kernels += activity.kind == ops::ActivityKind::kKernel ? 1 : 0;
  }
  return of;
}

struct TwoClocks {
  Measured measured;
  ops::OpLog log;
  std::map<std::uint64_t, DeviceInterval> work;
};

// Returns nullopt with the reason in `why` if CUPTI is not available.
std::optional<TwoClocks> on_both_clocks(const cuda::CudaApi& api, Products& work,
                                        std::int64_t active, std::string& why) {
  const auto collector = cuda::make_activity_collector(0);
  if (auto refused = collector->start()) {
    why = *refused;
    return std::nullopt;
  }
  TwoClocks both;
  both.measured = measure_with(api, work, active, {.collector = collector.get()});
  collector->collect(both.log);
  EXPECT_EQ(collector->incomplete(), std::nullopt);
  both.work = device_work(both.log);
  return both;
}

// Phases must span their activity, and the periods must be the time from the first step's work to
// the last one's, whatever the host's periods are.
TEST(Gpu, DeviceBoundStep_EventsMatchActivity) {
  STEPBENCH_NEED_GPU(api);
  Products products(4096, 8, 16);
  std::string why;
  const auto both = on_both_clocks(api, products, 20, why);
  if (!both) GTEST_SKIP() << why;
  const Series& cycle = both->measured.cycle;
  const std::vector<std::int64_t>& index = cycle.column("index");
  const std::vector<std::int64_t>& periods = cycle.column("period_device_ns");
  const auto work = [&](std::size_t i, PhaseId phase) {
    return both->work.at(Attribution::id_of(index[i], phase));
  };
  double largest = 0;
  std::int64_t events_ns = 0;  // without the first: the step before it has no records
  for (std::size_t i = 0; i < index.size(); ++i) {
    events_ns += i == 0 ? 0 : periods[i];
    EXPECT_EQ(cycle.column("forward_device_ns")[i] + cycle.column("backward_device_ns")[i] +
                  cycle.column("other_device_ns")[i],
              periods[i]);
    if (i < 2) continue;  // the host needs a step to get ahead
    ASSERT_GT(cycle.column("host_lead_ns")[i], 1'000'000);
    const auto activity =
        static_cast<double>(work(i, PhaseId::kBackward).end - work(i, PhaseId::kForward).end);
    const auto events = static_cast<double>(cycle.column("backward_device_ns")[i]);
    largest = std::max(largest, std::abs(events / activity - 1));
    EXPECT_NEAR(events, activity, std::max(0.02 * activity, 5000.0)) << "step " << index[i];
  }
  const double ratio = static_cast<double>(events_ns) /
                       static_cast<double>(work(index.size() - 1, PhaseId::kBackward).end -
                                           work(0, PhaseId::kBackward).end);
  EXPECT_NEAR(ratio, 1.0, 0.001);
  const double error_ns = both->measured.metrics.at("event_clock_error_ns");
  EXPECT_LT(error_ns, 100'000);
  number("clocks of host and device set against each other", "within a hundredth of a step",
         "within " + std::to_string(error_ns * 1e-3) + " us", passed(error_ns < 100'000));
  number("events against activity, device-bound phase", "within 2 % or 5 us",
         "at most " + std::to_string(100 * largest) + " % apart", passed(!HasFailure()));
  number("periods by events over the activity of the same steps", "0.999 to 1.001",
         std::to_string(ratio), passed(!HasFailure()));
}

TEST(Gpu, Events_SpanTheirActivity) {
  STEPBENCH_NEED_GPU(api);
  Products products(256, 20, 20);  // small kernels: the device waits for the host
  std::string why;
  const auto both = on_both_clocks(api, products, 50, why);
  if (!both) GTEST_SKIP() << why;
  const Series& cycle = both->measured.cycle;
  const std::vector<std::int64_t>& index = cycle.column("index");
  std::int64_t short_by_ns = 0;
  for (std::size_t i = 0; i < index.size(); ++i) {
    for (const auto& [phase, column] : {std::pair{PhaseId::kForward, "forward_device_ns"},
                                        std::pair{PhaseId::kBackward, "backward_device_ns"}}) {
      const DeviceInterval& work = both->work.at(Attribution::id_of(index[i], phase));
      short_by_ns = std::max(short_by_ns, work.busy - cycle.column(column)[i]);
      EXPECT_GE(work.kernels, 20) << "every product is a kernel, or several";
    }
  }
  EXPECT_LE(short_by_ns, 5000);
  const cuda::ActivitySummary all = cuda::summarise_activities(both->log);
  EXPECT_EQ(all.launches, all.kernels) << "each product is launched by a call of its own";
  number("events span the union of the activity inside", "never less by more than 5 us",
         "at most " + std::to_string(short_by_ns) + " ns less", passed(short_by_ns <= 5000));
}

}  // namespace
}  // namespace stepbench::gpu
