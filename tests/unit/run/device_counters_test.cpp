// SPDX-License-Identifier: Apache-2.0
#include "harness/run/internal/worker_watch.h"

#include "tests/testing.h"

namespace stepbench::run {
namespace {

constexpr std::int64_t kMs = 1'000'000;

// 300 steps of 10 ms, 32 samples each.
std::vector<record::CycleSamples> three_seconds(const char* clock) {
  Series steps;
  steps.add(clock, 300) = std::vector<std::int64_t>(300, 10 * kMs);
  steps.add("samples", 300) = std::vector<std::int64_t>(300, 32);
  return {{0, steps}};
}

// The readings are 100 ms away from the window: 3.1 s at 600 W, half of it at the power limit.
machine::WindowCounters at_600_watts() {
  machine::WindowCounters counters;
  counters.windows = 1;
  counters.span_ns = 3100 * kMs;
  counters.energy_j = 1860;
  counters.throttled_ns[0] = 1550 * kMs;
  counters.throttled_ns[3] = 0;
  return counters;
}

TEST(DeviceCounters, Energy_IsOfTheStepsTime) {
  record::LaunchReport report;
  add_device_counters(at_600_watts(), three_seconds("period_device_ns"), report);
  EXPECT_DOUBLE_EQ(report.metrics["energy_per_step_j"].value(), 6);
  EXPECT_DOUBLE_EQ(report.metrics["energy_per_sample_j"].value(), 6.0 / 32);
  EXPECT_DOUBLE_EQ(report.metrics["gpu_power_capped_ns"].value(), 5 * kMs);
  EXPECT_EQ(report.metrics["gpu_hardware_thermal_ns"], 0);
  EXPECT_THAT(report.metrics, Not(Contains(Key("gpu_sync_boost_ns")))) << "not counted";
  record::LaunchReport by_host;  // steps without events
  add_device_counters(at_600_watts(), three_seconds("step_ns"), by_host);
  EXPECT_DOUBLE_EQ(by_host.metrics["energy_per_step_j"].value(), 6);
}

TEST(DeviceCounters, Uncounted_IsAbsent) {
  record::LaunchReport report;
  add_device_counters({}, three_seconds("step_ns"), report);
  EXPECT_TRUE(report.metrics.empty());
  machine::WindowCounters brief = at_600_watts();
  brief.windows = 3;
  add_device_counters(brief, three_seconds("step_ns"), report);
  EXPECT_THAT(report.metrics, Not(Contains(Key("energy_per_step_j"))));
  EXPECT_THAT(report.metrics, Contains(Key("gpu_power_capped_ns")));
  record::LaunchReport nothing;
  add_device_counters(at_600_watts(), {}, nothing);
  EXPECT_TRUE(nothing.metrics.empty());
}

}  // namespace
}  // namespace stepbench::run
