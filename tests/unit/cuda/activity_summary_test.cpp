// SPDX-License-Identifier: Apache-2.0
#include "harness/cuda/activity_summary.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "harness/catalogue/catalogue.h"
#include "harness/estimate/columns.h"
#include "tests/unit/cuda/note_sink.h"

namespace stepbench::cuda {
namespace {

ops::DeviceActivity activity(ops::ActivityKind kind, std::int64_t start_ns, std::int64_t end_ns,
                             std::uint32_t name = 0) {
  ops::DeviceActivity out;
  out.kind = kind;
  out.start_ns = start_ns;
  out.end_ns = end_ns;
  out.name = name;
  return out;
}

// Two steps of 100 ns each, from 1000 on.
ops::OpLog two_steps() {
  ops::OpLog log;
  log.names = {"kernel",
               "cudaLaunchKernel",
               "cudaGetDevice",
               "Stream Synchronize",
               "Stream Wait Event",
               "cudaGraphLaunch"};
  log.marks = {{.start_ns = 1000, .end_ns = 1100, .index = 5},
               {.start_ns = 1010, .end_ns = 1050, .index = 5, .phase = 0},
               {.start_ns = 1100, .end_ns = 1200, .index = 6}};
  return log;
}

TEST(ActivitySummary, BusyIsTheUnionOverStreams) {
  ops::OpLog log = two_steps();
  log.activities = {activity(ops::ActivityKind::kKernel, 1010, 1050),
                    activity(ops::ActivityKind::kMemcpy, 1040, 1070),
                    activity(ops::ActivityKind::kMemset, 1045, 1046),
                    activity(ops::ActivityKind::kKernel, 1190, 1300)};
  const ActivitySummary sum = summarise_activities(log);
  EXPECT_EQ(sum.steps, 2);
  EXPECT_EQ(sum.span_ns, 300) << "the last kernel began in the last step";
  EXPECT_EQ(sum.busy_ns, 60 + 110);
  EXPECT_EQ(sum.kernels, 2);
}

TEST(ActivitySummary, WaitsThatACollectorDoesNotRecordAreNotSaidToBeNone) {
  ops::OpLog log = two_steps();
  log.names.emplace_back("cudaStreamSynchronize");
  log.activities = {activity(ops::ActivityKind::kKernel, 1010, 1050),
                    activity(ops::ActivityKind::kRuntime, 1050, 1090, 6)};
  EXPECT_EQ(summarise_activities(log).synchronisations, std::nullopt);
  NoteSink said;
  report(summarise_activities(log), said);
  EXPECT_EQ(said.metrics.count("synchronisations"), 0U);
  EXPECT_EQ(said.metrics.count("synchronisation_ns"), 0U);
  log.activities.push_back(activity(ops::ActivityKind::kSynchronization, 1051, 1089, 3));
  EXPECT_EQ(summarise_activities(log).synchronisations, 1);
  log.activities.resize(1);
  EXPECT_EQ(summarise_activities(log).synchronisations, 0) << "the host made no call that waits";
}

TEST(ActivitySummary, CountsLaunchesCopiesAndWaitsOfTheHost) {
  ops::OpLog log = two_steps();
  ops::DeviceActivity pinned = activity(ops::ActivityKind::kMemcpy, 1010, 1020);
  pinned.copy = ops::CopyKind::kHostToDevice;
  pinned.pinned = true;
  pinned.bytes = 64;
  ops::DeviceActivity pageable = pinned;
  pageable.pinned = false;
  pageable.bytes = 36;
  log.activities = {activity(ops::ActivityKind::kRuntime, 1001, 1002, 1),
                    activity(ops::ActivityKind::kRuntime, 1003, 1004, 2),
                    activity(ops::ActivityKind::kRuntime, 1005, 1006, 5),
                    pinned,
                    pageable,
                    activity(ops::ActivityKind::kSynchronization, 1020, 1070, 3),
                    activity(ops::ActivityKind::kSynchronization, 1071, 1072, 4)};
  const ActivitySummary sum = summarise_activities(log);
  EXPECT_EQ(sum.launches, 2) << "a kernel and a graph";
  EXPECT_EQ(sum.copies, 2);
  EXPECT_EQ(sum.copied_bytes, 100);
  EXPECT_EQ(sum.pageable_copies, 1);
  EXPECT_EQ(sum.synchronisations, 1) << "a stream that waits for an event holds up no host";
  EXPECT_EQ(sum.synchronisation_ns, 50);
}

TEST(ActivitySummary, WhatRanOutsideTheStepsIsNotTheirs) {
  ops::OpLog log = two_steps();
  log.activities = {activity(ops::ActivityKind::kKernel, 100, 900),
                    activity(ops::ActivityKind::kKernel, 1300, 1400)};
  const ActivitySummary sum = summarise_activities(log);
  EXPECT_EQ(sum.kernels, 0);
  EXPECT_EQ(sum.busy_ns, 0);
}

ops::DeviceActivity joined(ops::DeviceActivity activity, std::uint64_t correlation,
                           std::uint32_t thread = ops::kNoIndex) {
  activity.correlation = correlation;
  activity.thread = thread;
  return activity;
}

TEST(ActivitySummary, AllWaysToLaunchCountAndOneInsideAnotherCountsOnce) {
  ops::OpLog log = two_steps();
  log.names = {"__cudaLaunchKernel", "cuLaunchKernelEx", "cudaLaunchHostFunc",
               "cuGraphLaunch",      "cudaMemcpyAsync",  "cudaLaunchKernelExC"};
  constexpr auto kRuntime = ops::ActivityKind::kRuntime;
  constexpr auto kDriver = ops::ActivityKind::kDriver;
  log.activities = {joined(activity(kRuntime, 1000, 1010, 0), 1, 0),
                    joined(activity(kDriver, 1002, 1008, 1), 2, 0),  // within it
                    joined(activity(kDriver, 1002, 1008, 1), 3, 1),  // of another thread
                    joined(activity(kDriver, 1010, 1012, 1), 4, 0),  // after it
                    joined(activity(kRuntime, 1020, 1022, 2), 5, 0),
                    joined(activity(kDriver, 1030, 1032, 3), 6, 0),
                    joined(activity(kRuntime, 1040, 1042, 4), 7, 0),
                    joined(activity(kRuntime, 1050, 1052, 5), 8, 0),
                    joined(activity(kDriver, 1052, 1053, 1), 8, 2),    // the same call's number
                    joined(activity(kRuntime, 1300, 1302, 0), 9, 0)};  // after the steps
  EXPECT_EQ(summarise_activities(log).launches, 5);
}

TEST(ActivitySummary, WorkOfADeviceThatIsBehindBelongsToTheStepThatStartedIt) {
  ops::OpLog log = two_steps();
  log.activities = {joined(activity(ops::ActivityKind::kRuntime, 1010, 1015, 1), 1, 0),
                    joined(activity(ops::ActivityKind::kRuntime, 1180, 1210, 1), 2, 0),
                    joined(activity(ops::ActivityKind::kRuntime, 1400, 1410, 1), 3, 0),
                    joined(activity(ops::ActivityKind::kKernel, 1020, 1220), 1),
                    joined(activity(ops::ActivityKind::kKernel, 1230, 1500), 2),
                    joined(activity(ops::ActivityKind::kKernel, 1600, 1700), 3)};
  const ActivitySummary sum = summarise_activities(log);
  EXPECT_EQ(sum.launches, 2);
  EXPECT_EQ(sum.kernels, 2);
  EXPECT_EQ(sum.span_ns, 500) << "until the device has done what the steps asked for";
  EXPECT_EQ(sum.busy_ns, 200 + 270);
}

TEST(ActivitySummary, WorkStartedBeforeTheStepsIsBusyTimeButNoneOfTheirs) {
  ops::OpLog log = two_steps();
  log.activities = {joined(activity(ops::ActivityKind::kRuntime, 900, 910, 1), 1, 0),
                    joined(activity(ops::ActivityKind::kKernel, 950, 1030), 1)};
  const ActivitySummary sum = summarise_activities(log);
  EXPECT_EQ(sum.kernels, 0);
  EXPECT_EQ(sum.busy_ns, 30);
}

TEST(ActivitySummary, KernelsOfOneGraphLaunchAreManyKernelsOfOneLaunch) {
  ops::OpLog log = two_steps();
  log.activities = {joined(activity(ops::ActivityKind::kRuntime, 1010, 1015, 5), 1, 0),
                    joined(activity(ops::ActivityKind::kKernel, 1020, 1030), 1),
                    joined(activity(ops::ActivityKind::kKernel, 1030, 1040), 1),
                    joined(activity(ops::ActivityKind::kKernel, 1240, 1250), 1)};
  const ActivitySummary sum = summarise_activities(log);
  EXPECT_EQ(sum.launches, 1);
  EXPECT_EQ(sum.kernels, 3);
}

TEST(ActivitySummary, CopiesOnTheDeviceAreNoPageableCopies) {
  ops::OpLog log = two_steps();
  for (const ops::CopyKind kind :
       {ops::CopyKind::kDeviceToDevice, ops::CopyKind::kPeer, ops::CopyKind::kHostToHost}) {
    log.activities.push_back(activity(ops::ActivityKind::kMemcpy, 1010, 1020));
    log.activities.back().copy = kind;
  }
  log.activities.push_back(activity(ops::ActivityKind::kMemcpy, 1010, 1020));
  log.activities.back().copy = ops::CopyKind::kDeviceToHost;
  const ActivitySummary sum = summarise_activities(log);
  EXPECT_EQ(sum.copies, 4);
  EXPECT_EQ(sum.pageable_copies, 1);
}

TEST(ActivitySummary, WithoutMarksAllOfALogIsOneStep) {
  ops::OpLog log = two_steps();
  log.marks.clear();
  log.activities = {activity(ops::ActivityKind::kKernel, 40, 50),
                    activity(ops::ActivityKind::kKernel, 90, 95),
                    activity(ops::ActivityKind::kSynchronization, 95, 95, 3)};
  const ActivitySummary sum = summarise_activities(log);
  EXPECT_EQ(sum.steps, 1);
  EXPECT_EQ(sum.span_ns, 55);
  EXPECT_EQ(sum.busy_ns, 15);
  EXPECT_EQ(sum.synchronisations, 1);
}

TEST(ActivitySummary, ReportsPerStepUnderDeclaredNames) {
  ops::OpLog log = two_steps();
  log.activities = {activity(ops::ActivityKind::kKernel, 1000, 1100),
                    activity(ops::ActivityKind::kKernel, 1100, 1150)};
  NoteSink sink;
  report(summarise_activities(log), sink);
  EXPECT_EQ(sink.metrics.at("device_busy_ns"), 75);
  EXPECT_EQ(sink.metrics.at("device_idle_ns"), 25);
  EXPECT_EQ(sink.metrics.at("kernels"), 1);
  for (const auto& [name, value] : sink.metrics) {
    const auto& declared = estimate::harness_metrics();
    EXPECT_TRUE(std::any_of(declared.begin(), declared.end(), [&](const Metric& metric) {
      return metric.name == name;
    })) << name;
  }
}

TEST(ActivitySummary, OfALogWithoutADeviceSaysNothing) {
  NoteSink sink;
  report(summarise_activities(two_steps()), sink);
  EXPECT_TRUE(sink.metrics.empty());
}

}  // namespace
}  // namespace stepbench::cuda
