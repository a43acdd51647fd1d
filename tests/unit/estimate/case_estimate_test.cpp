// SPDX-License-Identifier: Apache-2.0
#include "harness/estimate/case_rows.h"
#include "harness/estimate/launch_values.h"
#include "harness/estimate/noise.h"
#include "tests/testing.h"
#include "tests/unit/estimate/made_launch.h"

namespace stepbench::estimate {
namespace {

record::Launch of_step(std::int64_t step, std::int64_t wait, std::int64_t samples = 64) {
  return made_launch({"step_ns", "data_wait_ns", "other_ns", "samples"},
                     {{step, step}, {wait, wait}, {step - wait, step - wait}, {samples, samples}});
}

TEST(CaseEstimate, StepAndRate_AgreeAndPhasesSum) {
  const record::Results results =
      made_results({of_step(1'000'000, 100'000), of_step(1'500'000, 900'000),
                    of_step(1'200'000, 200'000), of_step(9'000'000, 8'000'000)});
  const CaseRow row = case_rows(results).front();
  EXPECT_DOUBLE_EQ(row.step_ns.value(), 1'350'000) << "median over launches";
  EXPECT_NEAR(row.samples_per_s.value() * *row.step_ns * 1e-9, 64, 1e-9);
  ASSERT_EQ(row.phases.size(), 2U);
  EXPECT_NEAR(row.phases[0].ns + row.phases[1].ns, *row.step_ns, 1e-6);
  EXPECT_NEAR(row.phases[0].share, 0.55 / 1.35, 1e-12)
      << "of the two launches in the middle; the one of 9 ms has no part in it";
  EXPECT_EQ(row.data_wait_share, row.phases[0].share);
  EXPECT_DOUBLE_EQ(row.mean_ns.value(), 3'175'000);
}

TEST(CaseEstimate, MfuAboveOne_IsRejected) {
  record::Results results = made_results({of_step(1000, 0)});
  EXPECT_FALSE(case_rows(results).front().achieved_flops_per_s);
  auto& metrics = results.launches[0].row.report.metrics;
  metrics["model_flops_per_step"] = 3e6;
  EXPECT_DOUBLE_EQ(case_rows(results).front().achieved_flops_per_s.value(), 3e12);
  EXPECT_FALSE(case_rows(results).front().mfu) << "the peak is not known";
  metrics["device_peak_flops"] = 4e12;
  EXPECT_DOUBLE_EQ(case_rows(results).front().mfu.value(), 0.75);
  metrics["device_peak_flops"] = 2.9e12;
  EXPECT_FALSE(case_rows(results).front().mfu);
  EXPECT_TRUE(case_rows(results).front().mfu_refused);
}

TEST(CaseEstimate, Group_ScalesByItsRate) {
  const auto of_ranks = [](std::int64_t ranks, std::int64_t step, const char* path) {
    record::Launch launch = of_step(step, 0);
    launch.row.key.case_id = std::to_string(ranks) + path;
    launch.row.options = {{"script.path", path}};
    if (ranks > 1) {
      launch.row.options.insert_or_assign("distributed.ranks", ranks);
      launch.row.options.insert_or_assign("distributed.launcher", "local");
    }
    return launch;
  };
  // As many samples per rank, and 1.5 times the time for four: 4 / 1.5 of the rate.
  std::vector<record::Launch> launches = {of_ranks(1, 1000, "a.py"), of_ranks(4, 1500, "a.py"),
                                          of_ranks(2, 1000, "b.py")};
  launches[1].row.report.schedule = {{"group_window_ns", 3000}, {"group_samples", 4 * 2 * 64}};
  const record::Results results = made_results(launches);
  const std::vector<CaseRow> rows = case_rows(results);
  ASSERT_EQ(rows.size(), 3U);
  EXPECT_DOUBLE_EQ(rows[0].scaling_efficiency.value(), 1);
  EXPECT_NEAR(rows[1].scaling_efficiency.value(), 1 / 1.5, 1e-12);
  EXPECT_FALSE(rows[2].scaling_efficiency) << "of another script";
  EXPECT_FALSE(case_rows(made_results({of_ranks(1, 1000, "a.py")})).front().scaling_efficiency);
  EXPECT_FALSE(rows[1].scaling_interval) << "of a single launch";
}

TEST(CaseEstimate, ScalingInterval_IsOfTheRatio) {
  std::vector<record::Launch> launches;
  for (std::int64_t i = 0; i < 6; ++i) {
    launches.push_back(of_step(1000 + i, 0));
    launches.push_back(of_step(2000 + 2 * i, 0));
    launches.back().row.key.case_id = "group";
    launches.back().row.options.insert_or_assign("distributed.ranks", std::int64_t{2});
    // Two ranks with 64 samples each in two steps.
    launches.back().row.report.schedule = {{"group_window_ns", 2 * (2000 + 2 * i)},
                                           {"group_samples", 2 * 2 * 64}};
  }
  const record::Results results = made_results(std::move(launches));
  const std::vector<CaseRow> rows = case_rows(results);
  ASSERT_EQ(rows.size(), 2U);
  EXPECT_NEAR(rows[1].scaling_efficiency.value(), 0.5, 1e-12);
  EXPECT_NEAR(rows[1].scaling_interval.value().low, 0.5 * 1000 / 1005, 1e-9);
  EXPECT_NEAR(rows[1].scaling_interval.value().high, 0.5 * 1005 / 1000, 1e-9);
  EXPECT_FALSE(rows[0].scaling_interval) << "1 by definition";
}

TEST(CaseEstimate, EpochGap_IsSpreadOverSteps) {
  const record::Launch launch =
      made_launch({"step_ns", "data_wait_ns", "epoch_wait_ns", "flags"},
                  {{100, 100, 900, 100}, {10, 10, 810, 10}, {0, 0, 810, 0}, {0, 0, 1, 0}});
  const record::Results results = made_results({launch, launch});
  const CaseRow row = case_rows(results).front();
  EXPECT_DOUBLE_EQ(row.epoch_gap_ns.value(), 800);
  EXPECT_DOUBLE_EQ(row.epoch_gap_per_step_ns.value(), 200);
  EXPECT_DOUBLE_EQ(row.step_ns.value(), 300) << "the gap is part of the step";
}

TEST(CaseEstimate, LatencyRow_KeepsItsRate) {
  std::vector<record::Launch> launches;
  for (std::int64_t i = 0; i < 6; ++i) {
    launches.push_back(of_step(1000 + i, 400));
    launches.back().row.options["schedule.sync"] = std::string("step");
  }
  const CaseRow row = case_rows(made_results(std::move(launches))).front();
  EXPECT_DOUBLE_EQ(row.headline_ns().value(), 602.5);
  EXPECT_EQ(row.spread, Spread::kOverLaunches);
  EXPECT_DOUBLE_EQ(row.interval_ns.low, 600);
  EXPECT_DOUBLE_EQ(row.interval_ns.high, 605);
  EXPECT_NEAR(row.samples_per_s.value(), 64 / 1002.5e-9, 1);
}

record::Launch of_steps(std::vector<std::int64_t> steps) {
  return made_launch({"step_ns"}, {std::move(steps)});
}

TEST(RareSlowSteps, FewLaunches_AreReportedWithSteps) {
  std::vector<record::Launch> launches(9, of_steps({100, 101, 99, 100, 100}));
  launches.push_back(of_steps({100, 100, 100, 4100, 100}));
  const record::Results results = made_results(std::move(launches));
  const auto rare = rare_slow_steps(case_rows(results).front(), 0.01);
  ASSERT_TRUE(rare);
  EXPECT_EQ(rare->slow, 1);
  EXPECT_EQ(rare->steps, 50);
  EXPECT_NEAR(rare->difference, 0.8, 1e-12);
  EXPECT_EQ(rare->active, 500);
}

TEST(RareSlowSteps, EvenOrSlowLaunches_AreSilent) {
  const record::Results even =
      made_results(std::vector<record::Launch>(6, of_steps({100, 101, 99, 100, 100})));
  EXPECT_FALSE(rare_slow_steps(case_rows(even).front(), 0.01));
  std::vector<record::Launch> launches(5, of_steps({100, 101, 99, 100, 100}));
  launches.push_back(of_steps({200, 201, 199, 200, 200, 203, 205}));
  const record::Results one_slow = made_results(std::move(launches));
  EXPECT_FALSE(rare_slow_steps(case_rows(one_slow).front(), 0.01));
}

// 96 samples in batches of 64: the largest step has 64, the mean step 48.
TEST(CaseEstimate, PartialBatches_CountFewerOperations) {
  record::Launch launch =
      made_launch({"step_ns", "samples"}, {{1000, 1000, 1000, 1000}, {64, 32, 64, 32}});
  launch.row.report.metrics["model_flops_per_step"] = 64e3;
  launch.row.report.metrics["device_peak_flops"] = 60e9;
  const record::Results results = made_results({launch});
  const CaseRow row = case_rows(results).front();
  EXPECT_DOUBLE_EQ(row.achieved_flops_per_s.value(), 48e9);
  EXPECT_DOUBLE_EQ(row.mfu.value(), 0.8) << "not 64 / 60, which would be refused";
}

TEST(StepTimes, MissingDeviceTimes_AreNaN) {
  record::Launch device = made_launch({"step_ns", "period_device_ns"}, {{10, 10}, {50, 50}});
  device.row.report.effective["device"] = std::string("cuda:0");
  device.row.report.schedule["window_drained_ns"] = std::int64_t{120};
  record::Launch without = device;
  without.samples[0].steps.names.pop_back();
  without.samples[0].steps.columns.pop_back();
  const std::vector<const record::Launch*> all{&device, &device};
  const std::vector<const record::Launch*> some{&device, &without};
  const StepTimes same = step_times(all, all);
  EXPECT_EQ(same.clock, StepClock::kDevice);
  EXPECT_FALSE(same.mixed);
  EXPECT_THAT(same.base, ElementsAre(50, 50));
  const StepTimes mixed = step_times(all, some);
  EXPECT_EQ(mixed.clock, StepClock::kDevice);
  EXPECT_TRUE(mixed.mixed);
  EXPECT_THAT(mixed.base, ElementsAre(50, 50));
  EXPECT_THAT(mixed.candidate, ElementsAre(50, testing::IsNan()))
      << "60 on the host, which waited for the device at the end";
  const std::vector<const record::Launch*> none{&without, &without};
  EXPECT_EQ(step_times(none, none).clock, StepClock::kDrained) << "one clock of all";
  EXPECT_THAT(step_times(none, none).base, ElementsAre(60, 60));
}

// A span of 9 ms and 1 ms until the next step begins: 10 ms from end to end.
TEST(StepTimes, MixedMeanings_UseTheHostClock) {
  record::Launch older = made_launch({"step_ns", "step_device_ns"}, {{10, 10}, {9, 9}});
  older.row.report.effective["device"] = std::string("cuda:0");
  older.schema_minor = 2;
  record::Launch newer = made_launch({"step_ns", "period_device_ns"}, {{10, 10}, {10, 10}});
  newer.row.report.effective["device"] = std::string("cuda:0");
  newer.schema_minor = 9;
  const std::vector<const record::Launch*> before{&older, &older};
  const std::vector<const record::Launch*> after{&newer, &newer};
  const StepTimes both = step_times(before, after);
  EXPECT_EQ(both.clock, StepClock::kHost);
  EXPECT_TRUE(both.spans);
  EXPECT_THAT(both.base, ElementsAre(10, 10));
  EXPECT_THAT(both.candidate, ElementsAre(10, 10));
  EXPECT_EQ(step_times(before, before).clock, StepClock::kDevice) << "alike";
}

}  // namespace
}  // namespace stepbench::estimate
