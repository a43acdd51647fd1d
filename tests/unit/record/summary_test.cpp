// SPDX-License-Identifier: Apache-2.0
#include "harness/record/summary.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace stepbench {
namespace {

Launch launch_of(std::vector<std::string> columns, std::vector<std::vector<std::int64_t>> values) {
  Launch launch;
  launch.samples.push_back(
      {.key = {}, .cycle = 0, .columns = std::move(columns), .values = std::move(values)});
  return launch;
}

TEST(Summary, NothingWithoutSteps) {
  EXPECT_FALSE(summarise(Launch{}).has_value());
  EXPECT_FALSE(summarise(launch_of({"step_ns"}, {{}})).has_value());
  EXPECT_FALSE(summarise(launch_of({"index"}, {{1, 2}})).has_value()) << "no step times";
}

TEST(Summary, LeavesFlaggedStepsOutAndSaysWhy) {
  const auto summary =
      summarise(launch_of({"step_ns", "flags"}, {{10, 20, 30, 1000, 2000}, {0, 0, 0, 1, 3}}));
  ASSERT_TRUE(summary);
  EXPECT_EQ(summary->steps, 5);
  EXPECT_EQ(summary->steady_steps, 3);
  EXPECT_DOUBLE_EQ(summary->step_median_ns, 20);
  ASSERT_EQ(summary->flagged.size(), 2U);
  EXPECT_EQ(summary->flagged[0].flag, "epoch border");
  EXPECT_EQ(summary->flagged[0].steps, 2);
  EXPECT_EQ(summary->flagged[1].flag, "partial batch");
  EXPECT_EQ(summary->flagged[1].steps, 1);
}

TEST(Summary, TheModelsRateAndItsShareOfThePeakFollowFromItsOperations) {
  Launch launch = launch_of({"step_ns", "flags"}, {{1000, 1000, 5000}, {0, 0, 1}});
  EXPECT_FALSE(summarise(launch)->achieved_flops_per_s);
  launch.row.report.metrics["model_flops_per_step"] = 3e6;
  EXPECT_DOUBLE_EQ(summarise(launch)->achieved_flops_per_s.value(), 3e12);
  EXPECT_FALSE(summarise(launch)->mfu) << "the peak is not known";
  launch.row.report.metrics["device_peak_flops"] = 4e12;
  EXPECT_DOUBLE_EQ(summarise(launch)->mfu.value(), 0.75);
}

TEST(Summary, UsesAllStepsWhenNoneIsSteady) {
  const auto summary = summarise(launch_of({"step_ns", "flags"}, {{10, 30}, {1, 1}}));
  ASSERT_TRUE(summary);
  EXPECT_TRUE(summary->no_steady_steps);
  EXPECT_DOUBLE_EQ(summary->step_median_ns, 20);
}

TEST(Summary, QuantilesAreThoseOfNumpy) {  // numpy.quantile([1, 2, 4, 8, 16], …)
  const auto summary = summarise(launch_of({"step_ns"}, {{16, 1, 8, 2, 4}}));
  ASSERT_TRUE(summary);
  EXPECT_DOUBLE_EQ(summary->step_median_ns, 4);
  EXPECT_DOUBLE_EQ(summary->step_p90_ns, 12.8);
  EXPECT_DOUBLE_EQ(summary->step_p99_ns, 15.68);
  EXPECT_DOUBLE_EQ(summary->step_iqr_ns, 6);
}

TEST(Summary, RatesAreWorkOverTheTimeOfSteadySteps) {
  const auto summary = summarise(launch_of(
      {"step_ns", "samples", "tokens", "flags"},
      {{500'000'000, 1'500'000'000, 7'000'000'000}, {10, 30, 99}, {100, 300, 1}, {0, 0, 2}}));
  ASSERT_TRUE(summary);
  EXPECT_DOUBLE_EQ(summary->samples_per_s.value(), 20);
  EXPECT_DOUBLE_EQ(summary->tokens_per_s.value(), 200);
}

TEST(Summary, SharesArePartsOfTheSumAndOtherComesLast) {
  const auto summary = summarise(launch_of({"step_ns", "other_ns", "data_wait_ns", "forward_ns"},
                                           {{100, 300}, {10, 30}, {40, 120}, {50, 150}}));
  ASSERT_TRUE(summary);
  ASSERT_EQ(summary->phases.size(), 3U);
  EXPECT_EQ(summary->phases[0].name, "data_wait");
  EXPECT_EQ(summary->phases[2].name, "other");
  EXPECT_DOUBLE_EQ(summary->data_wait_share, 0.4);
  EXPECT_DOUBLE_EQ(summary->phases[1].share, 0.5);
  EXPECT_DOUBLE_EQ(summary->phases[1].median_ns, 100);
}

TEST(Summary, TheEpochGapIsWhatABorderStepWaitsBeyondASteadyOne) {
  const auto summary = summarise(
      launch_of({"step_ns", "data_wait_ns", "epoch_wait_ns", "flags"},
                {{100, 100, 900, 5000}, {10, 12, 811, 4000}, {0, 0, 811, 4000}, {0, 0, 1, 9}}));
  ASSERT_TRUE(summary);
  EXPECT_DOUBLE_EQ(summary->epoch_gap_ns.value(), 800) << "the loader's first batch is not a gap";
}

TEST(Summary, CyclesAreOneSampleAndMissingColumnsCountAsZero) {
  Launch launch = launch_of({"step_ns"}, {{10, 20}});
  launch.samples.push_back(
      {.key = {}, .cycle = 1, .columns = {"step_ns", "flags"}, .values = {{30, 999}, {0, 1}}});
  const auto summary = summarise(launch);
  ASSERT_TRUE(summary);
  EXPECT_EQ(summary->steps, 4);
  EXPECT_DOUBLE_EQ(summary->step_median_ns, 20);
}

TEST(Summary, AWindowWithoutDeviceTimesIsNoWindowOfZeros) {
  Launch launch = launch_of({"step_ns", "step_device_ns", "forward_device_ns", "host_lead_ns"},
                            {{10, 10}, {8, 8}, {6, 6}, {40, 40}});
  launch.samples.push_back({.cycle = 1,
                            .columns = {"step_ns", "step_device_ns", "forward_device_ns"},
                            .values = {{10, 10, 10}, {8, 8, 8}, {6, 6, 6}}});
  launch.samples.push_back(
      {.cycle = 2, .columns = {"step_ns"}, .values = {{10, 10, 10, 10, 10, 10}}});
  const auto summary = summarise(launch);
  ASSERT_TRUE(summary);
  EXPECT_EQ(summary->steps, 11);
  EXPECT_EQ(summary->device_step_ns, 8);
  ASSERT_EQ(summary->device.size(), 1U);
  EXPECT_EQ(summary->device[0].median_ns, 6);
  EXPECT_DOUBLE_EQ(summary->device[0].share, 0.75);
  EXPECT_EQ(summary->host_lead_ns, 40);
}

TEST(Summary, WhatTheDeviceDidStandsApartFromWhatTheHostDid) {
  const auto summary = summarise(launch_of(
      {"step_ns", "forward_ns", "other_ns", "step_device_ns", "forward_device_ns", "idle_device_ns",
       "host_lead_ns", "flags"},
      {{100, 100}, {30, 30}, {70, 70}, {200, 200}, {150, 150}, {50, 50}, {90, 90}, {0, 0}}));
  ASSERT_TRUE(summary);
  ASSERT_EQ(summary->phases.size(), 2U);
  EXPECT_EQ(summary->phases[0].name, "forward");
  EXPECT_EQ(summary->phases[1].name, "other");
  EXPECT_EQ(summary->device_step_ns, 200);
  EXPECT_EQ(summary->host_lead_ns, 90);
  ASSERT_EQ(summary->device.size(), 2U);
  EXPECT_EQ(summary->device[0].name, "forward");
  EXPECT_DOUBLE_EQ(summary->device[0].share, 0.75);
  EXPECT_EQ(summary->device[1].name, "idle");
}

}  // namespace
}  // namespace stepbench
