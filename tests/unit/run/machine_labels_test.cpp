// SPDX-License-Identifier: Apache-2.0
#include "harness/run/machine_labels.h"

#include <gmock/gmock.h>

#include "harness/measure/step_recorder.h"

namespace stepbench::run {
namespace {

using ::testing::ElementsAre;
using Span = machine::DeviceSampler::Span;

record::CycleSamples steps(std::int64_t cycle, std::vector<std::int64_t> step_ns) {
  std::vector<std::int64_t> flags(step_ns.size(), 0);
  return {cycle, {{"index", "step_ns", "flags"}, {step_ns, step_ns, flags}}};
}

TEST(ThrottledSteps, AreThoseThatRanWhileTheDeviceWasSlowedDown) {
  std::vector<record::CycleSamples> samples = {steps(0, {100, 100, 100, 100})};
  const std::vector<std::int64_t> begins = {1000};
  EXPECT_EQ(label_throttled_steps(samples, begins, std::vector{Span{1150, 1250}}), 2);
  EXPECT_THAT(samples[0].steps.columns[2], ElementsAre(0, kThrottled, kThrottled, 0));
}

TEST(ThrottledSteps, CountFromTheirOwnWindowAndThroughItsParts) {
  std::vector<record::CycleSamples> samples = {steps(0, {100, 100}), steps(0, {100, 100}),
                                               steps(1, {100, 100})};
  samples[1].steps.columns[2] = {kPartialBatch, 0};
  const std::vector<std::int64_t> begins = {1000, 5000};
  const std::vector<Span> throttled = {{1210, 1220}, {5110, 9000}};
  EXPECT_EQ(label_throttled_steps(samples, begins, throttled), 2);
  EXPECT_THAT(samples[0].steps.columns[2], ElementsAre(0, 0));
  EXPECT_THAT(samples[1].steps.columns[2], ElementsAre(kPartialBatch | kThrottled, 0));
  EXPECT_THAT(samples[2].steps.columns[2], ElementsAre(0, kThrottled));
}

TEST(ThrottledSteps, OfAWorkerWithoutFlagsOrOfAnUnknownWindowStayAsTheyAre) {
  std::vector<record::CycleSamples> samples = {{0, {{"step_ns"}, {{100}}}}, steps(7, {100})};
  EXPECT_EQ(
      label_throttled_steps(samples, std::vector<std::int64_t>{0}, std::vector{Span{0, 1'000'000}}),
      0);
}

std::vector<std::string> flags_of(const Fields& machine) {
  record::LaunchReport report;
  label_machine(machine, 1'000'000'000, report);
  EXPECT_EQ(report.flags.size(), report.notes.size());
  return report.flags;
}

TEST(MachineLabels, SayWhatSlowedALaunchDown) {
  using Flags = std::vector<std::string>;
  const auto ns = [](std::int64_t value) { return Value{value}; };
  const auto expect = [](const char* name, const Fields& machine, const Flags& flags) {
    EXPECT_EQ(flags_of(machine), flags) << name;
  };
  const Flags none, waited = {"waited_for_cpu"};
  expect("below 1 %", {{"run_queue_wait_ns", ns(9'000'000)}, {"steal_share", 0.009}}, none);
  expect("above it", {{"run_queue_wait_ns", ns(11'000'000)}, {"steal_share", 0.02}},
         {"waited_for_cpu", "steal"});
  Fields window = {{"run_queue_wait_ns", ns(900'000'000)}, {"window_ns", ns(1000)}};
  window["window_run_queue_wait_ns"] = ns(5);
  expect("outside of windows", window, none);
  window["window_run_queue_wait_ns"] = ns(11);
  expect("in windows", window, waited);
  Fields load = {{"run_queue_wait_ns", ns(500'000'000)}, {"background_cpus", 1.8}};
  expect("too short to know others", load, none);
  load["others_cpu_share"] = 0.001;
  expect("a background load that was asked for", load, none);
  load["others_cpu_share"] = 0.3;
  expect("others besides it", load, waited);
  expect("nobody asked for it", {{"run_queue_wait_ns", ns(500'000'000)}}, waited);
  expect("nothing", {{"cgroup_throttled_ns", ns(0)}, {"gpu.throttled", std::string("no")}}, none);
  expect("a quota that hit and a device that was slowed down",
         {{"cgroup_throttled_ns", ns(5)}, {"gpu.throttled", std::string("power brake")}},
         {"cpu_quota", "throttled"});
}

TEST(MachineLabels, TellAWorkersOwnThreadsFromOthers) {
  const auto note = [](double others) {
    record::LaunchReport report;
    label_machine({{"run_queue_wait_ns", std::int64_t{500}}, {"others_cpu_share", others}}, 1000,
                  report);
    return report.notes.at(0);
  };
  EXPECT_EQ(note(0.3),
            "the machine was busy: the training thread waited 50.0 % of its time for a CPU; other "
            "programs used 30.0 % of the CPUs");
  EXPECT_EQ(note(0.0),
            "more threads than CPUs: the training thread waited 50.0 % of its time for a CPU, and "
            "nothing else ran");
}

TEST(MachineLabels, ALostOrFailingDeviceIsANoteOfTheRow) {
  record::LaunchReport report;
  label_machine({{"gpu.lost", true}, {"gpu.memory_errors", std::int64_t{2}}}, 1'000'000, report);
  ASSERT_EQ(report.notes.size(), 2U);
  EXPECT_EQ(report.notes[0].find("the GPU was lost while this launch ran"), 0U);
  EXPECT_EQ(report.notes[1].find("the GPU had 2 memory errors during this launch"), 0U);
}

}  // namespace
}  // namespace stepbench::run
