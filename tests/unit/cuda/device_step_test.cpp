// SPDX-License-Identifier: Apache-2.0
#include "harness/cuda/device_step.h"

#include <gtest/gtest.h>

namespace stepbench::cuda {
namespace {

std::size_t index_of(PhaseId id) { return static_cast<std::size_t>(id); }

TEST(DeviceStep, APhaseThatComesTwiceIsSummed) {
  std::vector<DeviceSpan> spans = {{.begin_ns = 0, .end_ns = 10, .phase = PhaseId::kForward},
                                   {.begin_ns = 30, .end_ns = 35, .phase = PhaseId::kForward}};
  EXPECT_EQ(device_step(spans, 40, 0).compute.ns[index_of(PhaseId::kForward)], 15);
}

TEST(DeviceStep, APeriodBeginsWithTheEndOfTheStepBeforeAndIsPhasesOfItsStreamAndTheRest) {
  std::vector<DeviceSpan> spans = {
      {.begin_ns = 10, .end_ns = 70, .phase = PhaseId::kForward},
      {.begin_ns = -20, .end_ns = 60, .phase = PhaseId::kH2d, .side_stream = true},
      {.begin_ns = 80, .end_ns = 85, .phase = PhaseId::kH2d}};
  const DeviceStep step = device_step(spans, 100, 7);
  EXPECT_EQ(step.period_ns, 107);
  EXPECT_EQ(step.span_ns, 100);
  EXPECT_EQ(step.compute.ns[index_of(PhaseId::kForward)], 60);
  EXPECT_EQ(step.compute.ns[index_of(PhaseId::kH2d)], 5);
  EXPECT_EQ(step.side.ns[index_of(PhaseId::kH2d)], 80);
  EXPECT_EQ(step.other_ns, 107 - 60 - 5);
}

TEST(DeviceStep, IdleIsWhatNoWorkingPhaseCovers) {
  std::vector<DeviceSpan> spans = {{.begin_ns = 0, .end_ns = 20, .phase = PhaseId::kDataWait},
                                   {.begin_ns = 20, .end_ns = 50, .phase = PhaseId::kForward},
                                   {.begin_ns = 60, .end_ns = 90, .phase = PhaseId::kBackward}};
  EXPECT_EQ(device_step(spans, 100, 0).idle_ns, 20 + 10 + 10);
}

TEST(DeviceStep, ACopyOnASideStreamFillsWhatComputeLeavesOpen) {
  std::vector<DeviceSpan> spans = {
      {.begin_ns = 40, .end_ns = 70, .phase = PhaseId::kH2d, .side_stream = true},
      {.begin_ns = 0, .end_ns = 50, .phase = PhaseId::kForward},
      {.begin_ns = 60, .end_ns = 100, .phase = PhaseId::kBackward}};
  const DeviceStep step = device_step(spans, 100, 0);
  EXPECT_EQ(step.side.ns[index_of(PhaseId::kH2d)], 30);
  EXPECT_EQ(step.idle_ns, 0);
}

TEST(DeviceStep, WhatASideStreamDoesBeforeOrAfterTheStepIsNotItsBusyTime) {
  std::vector<DeviceSpan> spans = {
      {.begin_ns = -30, .end_ns = 10, .phase = PhaseId::kH2d, .side_stream = true},
      {.begin_ns = 90, .end_ns = 130, .phase = PhaseId::kH2d, .side_stream = true},
      {.begin_ns = -50, .end_ns = -40, .phase = PhaseId::kH2d, .side_stream = true}};
  const DeviceStep step = device_step(spans, 100, 0);
  EXPECT_EQ(step.idle_ns, 100 - 10 - 10);
  EXPECT_EQ(step.side.ns[index_of(PhaseId::kH2d)], 40 + 40 + 10);
}

TEST(Overlap, IsTheTimeInWhichTheOtherStreamComputesToo) {
  const std::vector<DeviceSpan> compute = {{.begin_ns = 0, .end_ns = 50},
                                           {.begin_ns = 60, .end_ns = 100},
                                           {.begin_ns = 100, .end_ns = 130}};
  const auto of = [&](std::int64_t begin_ns, std::int64_t end_ns) {
    return overlap_ns({.begin_ns = begin_ns, .end_ns = end_ns}, compute);
  };
  EXPECT_EQ(of(40, 70), 10 + 10);
  EXPECT_EQ(of(50, 60), 0);
  EXPECT_EQ(of(-20, 10), 10);
  EXPECT_EQ(of(90, 300), 10 + 30);
  EXPECT_EQ(of(-20, 300), 50 + 40 + 30);
  EXPECT_EQ(of(140, 150), 0);
  EXPECT_EQ(of(70, 70), 0);
  EXPECT_EQ(overlap_ns({.begin_ns = 0, .end_ns = 9}, {}), 0);
}

TEST(DeviceStep, AStepWithoutPhasesIsIdle) {
  std::vector<DeviceSpan> spans;
  const DeviceStep step = device_step(spans, 70, 0);
  EXPECT_EQ(step.idle_ns, 70);
  EXPECT_EQ(step.compute.occurred, 0U);
  EXPECT_EQ(step.side.occurred, 0U);
}

TEST(NsOfMs, RoundsFloatMillisecondsToTheNearestNanosecond) {
  EXPECT_EQ(ns_of_ms(0.0F), 0);
  EXPECT_EQ(ns_of_ms(0.001024F), 1024);
  EXPECT_EQ(ns_of_ms(-0.5F), -500'000);
  EXPECT_EQ(ns_of_ms(0.0000019F), 2) << "to the nearest, not towards zero";
  EXPECT_EQ(ns_of_ms(123.456787F), 123'456'787) << "in double: a float would end in 784";
  EXPECT_EQ(ns_of_ms(16.777216F), 16'777'216) << "24 bits hold it exactly";
  EXPECT_NEAR(static_cast<double>(ns_of_ms(60'000.001F)), 60e9 + 1000, 4000)
      << "a minute is known to 4 us only, hence near events";
}

TEST(ClockMap, IsLinearBetweenItsMoments) {
  const ClockMap map({.device_ns = 0, .host_ns = 1000, .error_ns = 3},
                     {.device_ns = 100, .host_ns = 1110, .error_ns = 5});
  EXPECT_EQ(map.host_ns(0), 1000);
  EXPECT_EQ(map.host_ns(50), 1055);
  EXPECT_EQ(map.host_ns(100), 1110);
  EXPECT_EQ(map.error_ns(), 5);
}

TEST(ClockMap, OfOneMomentTwiceDoesNotDrift) {
  EXPECT_EQ(ClockMap({.host_ns = 10}, {.host_ns = 10}).host_ns(7), 17);
}

}  // namespace
}  // namespace stepbench::cuda
