// SPDX-License-Identifier: Apache-2.0
#include "harness/estimate/internal/launch_estimate.h"

#include "tests/testing.h"
#include "tests/unit/estimate/made_launch.h"

namespace stepbench::estimate {
namespace {

TEST(LaunchEstimate, NoSteps_HaveNone) {
  EXPECT_FALSE(estimate_of(record::Launch{}).has_value());
  EXPECT_FALSE(estimate_of(made_launch({"step_ns"}, {{}})).has_value());
  EXPECT_FALSE(estimate_of(made_launch({"index"}, {{1, 2}})).has_value()) << "no step times";
}

TEST(LaunchEstimate, FlaggedSteps_CountInTheMean) {
  const auto estimate =
      estimate_of(made_launch({"step_ns", "flags"}, {{10, 20, 30, 1000, 2000}, {0, 0, 0, 1, 3}}));
  ASSERT_TRUE(estimate);
  EXPECT_EQ(estimate->steps, 5);
  EXPECT_EQ(window_ns(*estimate, StepClock::kHost), 3060);
  EXPECT_DOUBLE_EQ(step_ns(*estimate, StepClock::kHost), 612);
  ASSERT_EQ(estimate->flagged.size(), 2U);
  EXPECT_EQ(estimate->flagged[0].flag, "epoch border");
  EXPECT_EQ(estimate->flagged[0].steps, 2);
  EXPECT_EQ(estimate->flagged[1].flag, "partial batch");
}

TEST(LaunchEstimate, LockstepSteps_IncludeTheirWait) {
  const auto estimate = estimate_of(made_launch({"step_ns"}, {{400, 0, 0, 0, 400, 0, 0, 0}}));
  EXPECT_DOUBLE_EQ(step_ns(*estimate, StepClock::kHost), 100);
  EXPECT_DOUBLE_EQ(estimate->quantiles.p50_ns, 0) << "which is why no median judges";
}

TEST(LaunchEstimate, Cycles_AreSummed) {
  record::Launch launch = made_launch({"step_ns"}, {{10, 20}});
  launch.samples.push_back(
      {.cycle = 1,
       .steps = {.names = {"step_ns", "samples", "flags"}, .columns = {{30, 40}, {4, 4}, {0, 1}}}});
  const auto estimate = estimate_of(launch);
  EXPECT_EQ(estimate->steps, 4);
  EXPECT_DOUBLE_EQ(step_ns(*estimate, StepClock::kHost), 25);
  EXPECT_EQ(estimate->samples, 8);
}

TEST(LaunchEstimate, Phases_AreSumsWithTheRestLast) {
  const auto estimate =
      estimate_of(made_launch({"step_ns", "other_ns", "data_wait_ns", "forward_ns"},
                              {{100, 300}, {10, 30}, {40, 120}, {50, 150}}));
  ASSERT_EQ(estimate->phases.size(), 3U);
  EXPECT_EQ(estimate->phases[0].name, "data_wait");
  EXPECT_EQ(estimate->phases[0].ns, 160);
  EXPECT_EQ(estimate->phases[2].name, "other");
  EXPECT_EQ(estimate->phases[0].ns + estimate->phases[1].ns + estimate->phases[2].ns,
            estimate->host_ns);
}

TEST(LaunchEstimate, Quantiles_AreNumpys) {
  const auto few = estimate_of(made_launch({"step_ns"}, {{16, 1, 8, 2, 4}}));
  EXPECT_DOUBLE_EQ(few->quantiles.p50_ns, 4);  // numpy.quantile([1, 2, 4, 8, 16], …)
  EXPECT_DOUBLE_EQ(few->quantiles.p90_ns, 12.8);
  EXPECT_DOUBLE_EQ(few->quantiles.iqr_ns, 6);
  EXPECT_FALSE(few->quantiles.p99_ns);
  std::vector<std::int64_t> times(300);
  for (std::size_t i = 0; i < times.size(); ++i) times[i] = static_cast<std::int64_t>(i);
  EXPECT_DOUBLE_EQ(estimate_of(made_launch({"step_ns"}, {times}))->quantiles.p99_ns.value(),
                   296.01);
}

TEST(LaunchEstimate, EpochGap_IsTheExtraWait) {
  const auto estimate = estimate_of(
      made_launch({"step_ns", "data_wait_ns", "epoch_wait_ns", "flags"},
                  {{100, 100, 900, 5000}, {10, 12, 811, 4000}, {0, 0, 811, 4000}, {0, 0, 1, 9}}));
  ASSERT_TRUE(estimate->borders);
  EXPECT_EQ(estimate->borders->steps, 1) << "the loader's first batch is not a border";
  EXPECT_DOUBLE_EQ(estimate->borders->gap_ns, 800);
}

TEST(LaunchEstimate, EpochGap_CoversAWholeTurn) {
  // Two workers alternate: of two batches one waits 100 and one is ready.
  const std::vector<std::int64_t> wait = {100, 0, 100, 0, 100, 0, 100, 0};
  const std::vector<std::int64_t> flags = {0, 0, 0, 0, 1, 0, 0, 0};
  std::vector<std::int64_t> epoch_wait(8, 0);
  epoch_wait[4] = 100;
  record::Launch launch = made_launch({"step_ns", "data_wait_ns", "epoch_wait_ns", "flags"},
                                      {wait, wait, epoch_wait, flags});
  launch.row.options["schedule.block"] = std::int64_t{2};
  EXPECT_DOUBLE_EQ(estimate_of(launch)->borders.value().gap_ns, 0);
  launch.samples[0].steps.columns[1][4] = 170;
  EXPECT_DOUBLE_EQ(estimate_of(launch)->borders.value().gap_ns, 70);
  launch.samples[0].steps.columns[1][4] = 60;
  EXPECT_DOUBLE_EQ(estimate_of(launch)->borders.value().gap_ns, -40) << "as noise may have it";
}

// Two epochs of three steps and a part of a third.
record::Launch with_borders(int minor) {
  record::Launch launch =
      made_launch({"step_ns", "data_wait_ns", "samples", "flags"}, {{7, 50, 2, 2, 50, 2, 2, 50, 9},
                                                                    {5, 48, 0, 0, 48, 0, 0, 48, 7},
                                                                    {4, 4, 4, 4, 4, 4, 4, 4, 4},
                                                                    {0, 1, 0, 0, 1, 0, 0, 1, 0}});
  launch.schema_minor = minor;
  return launch;
}

TEST(LaunchEstimate, OldFile_IsCutToWholeEpochs) {
  const auto old_file = estimate_of(with_borders(2));
  EXPECT_EQ(old_file->steps, 6);
  EXPECT_DOUBLE_EQ(step_ns(*old_file, StepClock::kHost), 18);
  EXPECT_EQ(old_file->samples, 24);
  EXPECT_FALSE(old_file->uneven);
  const auto now = estimate_of(with_borders(3));
  EXPECT_EQ(now->steps, 9) << "a new file's window is right as it is";
  EXPECT_EQ(now->host_ns, 174);
}

TEST(LaunchEstimate, OldFileWithoutEpochs_KeepsAllSteps) {
  record::Launch launch = with_borders(2);
  launch.samples[0].steps.columns[3] = {0, 1, 0, 0, 0, 0, 0, 0, 0};
  EXPECT_EQ(estimate_of(launch)->steps, 9);
  EXPECT_TRUE(estimate_of(launch)->uneven);
  launch.samples.push_back(launch.samples[0]);
  launch.samples[0].steps.columns[3] = {0, 1, 0, 0, 1, 0, 0, 0, 0};
  launch.samples[1].cycle = 1;
  EXPECT_EQ(estimate_of(launch)->steps, 18) << "every cycle must hold one";
  launch.samples[1].cycle = 0;
  EXPECT_EQ(estimate_of(launch)->steps, 9) << "two parts of one window: from the first part's "
                                              "first border to the second part's only one";
}

TEST(LaunchEstimate, AllStepsOnDevice_UseItsClock) {
  record::Launch launch = made_launch({"step_ns", "forward_ns", "other_ns", "step_device_ns",
                                       "period_device_ns", "forward_device_ns", "other_device_ns",
                                       "h2d_side_device_ns", "overlap_device_ns", "host_lead_ns"},
                                      {{10, 10},
                                       {4, 4},
                                       {6, 6},
                                       {180, 180},
                                       {190, 210},
                                       {150, 150},
                                       {40, 60},
                                       {30, 30},
                                       {20, 20},
                                       {90, 90}});
  const auto estimate = estimate_of(launch);
  EXPECT_EQ(clock_of(*estimate), StepClock::kDevice);
  EXPECT_DOUBLE_EQ(step_ns(*estimate, StepClock::kDevice), 200);
  EXPECT_EQ(estimate->device_phases.size(), 2U);
  EXPECT_EQ(estimate->device_phases[0].ns + estimate->device_phases[1].ns, estimate->device_ns);
  ASSERT_EQ(estimate->side_phases.size(), 1U);
  EXPECT_EQ(estimate->side_phases[0].name, "h2d");
  EXPECT_EQ(estimate->device_span_ns, 180);
  EXPECT_EQ(estimate->host_lead_ns, 90);

  launch.samples.push_back({.cycle = 1, .steps = {{"step_ns"}, {{10, 10}}}});
  launch.row.report.effective["device"] = std::string("cuda:0");
  EXPECT_EQ(clock_of(*estimate_of(launch)), StepClock::kDrained)
      << "a window without device times is no window of zeros";
  EXPECT_TRUE(estimate_of(launch)->no_rates);
  launch.row.report.schedule["window_drained_ns"] = std::int64_t{800};
  const auto drained = estimate_of(launch);
  EXPECT_DOUBLE_EQ(step_ns(*drained, StepClock::kDrained), 200);
  EXPECT_FALSE(drained->no_rates);
}

TEST(LaunchEstimate, OldDeviceFile_SumsItsSteps) {
  record::Launch launch =
      made_launch({"step_ns", "step_device_ns", "forward_device_ns", "idle_device_ns"},
                  {{10, 10}, {200, 220}, {150, 150}, {50, 70}});
  launch.schema_minor = 2;
  const auto estimate = estimate_of(launch);
  EXPECT_DOUBLE_EQ(step_ns(*estimate, clock_of(*estimate)), 210);
  ASSERT_EQ(estimate->device_phases.size(), 2U);
  EXPECT_EQ(estimate->device_phases[1].name, "other");
  EXPECT_EQ(estimate->device_phases[1].ns, 120);
}

TEST(LaunchEstimate, Latency_IsWithoutTheDataWait) {
  record::Launch launch = made_launch({"step_ns", "data_wait_ns"}, {{30, 40, 130}, {20, 10, 100}});
  EXPECT_FALSE(estimate_of(launch)->latency);
  launch.row.options["schedule.sync"] = std::string("step");
  const auto estimate = estimate_of(launch);
  EXPECT_DOUBLE_EQ(estimate->latency.value().p50_ns, 30);
  EXPECT_DOUBLE_EQ(headline_ns(*estimate, StepClock::kHost), 30);
  EXPECT_DOUBLE_EQ(step_ns(*estimate, StepClock::kHost), 200.0 / 3)
      << "rates stay those of windows";
  EXPECT_FALSE(estimate->latency->interval_ns) << "ten blocks need ten steps";
}

TEST(LaunchEstimate, OneLaunchLatency_UsesTenBlocks) {
  std::vector<std::int64_t> times;
  for (int block = 0; block < 10; ++block) times.insert(times.end(), 3, 100 + block);
  record::Launch launch = made_launch({"step_ns"}, {times});
  launch.row.options["schedule.sync"] = std::string("step");
  const auto latency = estimate_of(launch)->latency.value();
  ASSERT_TRUE(latency.interval_ns);
  EXPECT_DOUBLE_EQ(latency.interval_ns->low, 101);  // ranks 2 and 9 of 10: 97.9 %
  EXPECT_DOUBLE_EQ(latency.interval_ns->high, 108);
}

}  // namespace
}  // namespace stepbench::estimate
