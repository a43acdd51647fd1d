// SPDX-License-Identifier: Apache-2.0
#include "harness/estimate/noise.h"

#include "harness/base/step_flags.h"
#include "tests/testing.h"
#include "tests/unit/estimate/made_launch.h"

namespace stepbench::estimate {
namespace {

// A ripple of up to .2 %, different in each launch.
std::vector<std::int64_t> rippled(std::size_t steps, int launch) {
  std::vector<std::int64_t> times(steps);
  for (std::size_t i = 0; i < steps; ++i) {
    times[i] = 1000000 + 500 * static_cast<std::int64_t>((7 * i + 5 * std::size_t(launch)) % 9);
  }
  return times;
}

std::optional<WarmupEffect> effect_of(std::vector<record::Launch> launches) {
  const record::Results results = made_results(std::move(launches));
  return warmup_effect(case_rows(results).front());
}

TEST(WarmupEffectOfACase, SlowFirstSteps_ShiftTheMean) {
  std::vector<record::Launch> launches;
  double whole = 0;
  double settled = 0;
  for (int k = 0; k < 6; ++k) {
    std::vector<std::int64_t> times = rippled(60, k);
    for (std::size_t i = 0; i < 12; ++i) times[i] += 90000;  // 1.8 % of the window
    for (std::size_t i = 0; i < 60; ++i) (i < 30 ? whole : settled) += double(times[i]);
    launches.push_back(made_launch({"step_ns"}, {times}));
  }
  const auto effect = effect_of(launches);
  ASSERT_TRUE(effect);
  EXPECT_TRUE(effect->reported);
  EXPECT_NEAR(effect->change, (whole + settled) / 2 / settled - 1, 1e-4);
  EXPECT_LT(effect->interval.low, effect->change);
  EXPECT_GT(effect->interval.high, effect->change);
  EXPECT_EQ(effect->launches, 6U);
  EXPECT_GE(effect->drop, 8);
  EXPECT_LE(effect->drop, 12);
}

TEST(WarmupEffectOfACase, DeviceStep_UsesTheDevice) {
  std::vector<record::Launch> launches;
  for (int k = 0; k < 3; ++k) {
    std::vector<std::int64_t> host = rippled(60, k);
    host.front() += 60000000;  // the host filled its queue
    launches.push_back(made_launch({"step_ns", "period_device_ns"}, {host, rippled(60, k)}));
    launches.back().row.report.effective["device"] = std::string("cuda:0");
    launches.back().schema_minor = 9;
  }
  EXPECT_FALSE(effect_of(launches)->reported);
}

TEST(WarmupEffectOfACase, EarlyEpochBorder_HasNone) {
  std::vector<record::Launch> launches;
  for (int k = 0; k < 6; ++k) {
    std::vector<std::int64_t> times = rippled(60, k);
    std::vector<std::int64_t> flags(60, 0);
    times[10] += 30000000;  // its whole turn waits, and the next turns are unchanged
    flags[10] = kEpochBorder;
    launches.push_back(made_launch({"step_ns", "flags"}, {times, flags}));
  }
  EXPECT_FALSE(effect_of(launches)->reported);
  for (record::Launch& launch : launches) launch.samples.front().steps.columns[1][10] = 0;
  EXPECT_TRUE(effect_of(launches)->reported) << "the same without the flag";
  EXPECT_EQ(effect_of(launches)->drop, 11);
}

TEST(WarmupEffectOfACase, FewLaunchesOrSteps_HaveNone) {
  EXPECT_FALSE(effect_of({made_launch({"step_ns"}, {rippled(60, 0)})}));
  EXPECT_FALSE(
      effect_of({made_launch({"step_ns"}, {{9, 1, 1}}), made_launch({"step_ns"}, {{9, 1, 1}})}));
  std::vector<record::Launch> latency = {made_launch({"step_ns"}, {rippled(60, 0)}),
                                         made_launch({"step_ns"}, {rippled(60, 1)})};
  for (record::Launch& launch : latency) launch.row.options["schedule.sync"] = std::string("step");
  EXPECT_FALSE(effect_of(latency)) << "a median";
}

}  // namespace
}  // namespace stepbench::estimate
