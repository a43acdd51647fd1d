// SPDX-License-Identifier: Apache-2.0
#include "harness/run/internal/worker_watch.h"

#include "harness/measure/step_recorder.h"
#include "tests/testing.h"

namespace stepbench::run {
namespace {

using Span = machine::DeviceSampler::Span;

record::CycleSamples steps(std::int64_t cycle, std::vector<std::int64_t> step_ns) {
  std::vector<std::int64_t> flags(step_ns.size(), 0);
  return {cycle, {{"index", "step_ns", "flags"}, {step_ns, step_ns, flags}}};
}

TEST(ThrottledSteps, SlowedSteps_AreMarked) {
  std::vector<record::CycleSamples> samples = {steps(0, {100, 100, 100, 100})};
  const std::vector<std::int64_t> begins = {1000};
  EXPECT_EQ(label_throttled_steps(samples, begins, std::vector{Span{1150, 1250}}), 2);
  EXPECT_THAT(samples[0].steps.columns[2], ElementsAre(0, kThrottled, kThrottled, 0));
}

TEST(ThrottledSteps, Times_CountFromTheirWindow) {
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

TEST(ThrottledSteps, UnknownWindow_IsUnchanged) {
  std::vector<record::CycleSamples> samples = {{0, {{"step_ns"}, {{100}}}}, steps(7, {100})};
  EXPECT_EQ(
      label_throttled_steps(samples, std::vector<std::int64_t>{0}, std::vector{Span{0, 1'000'000}}),
      0);
}

TEST(MachineLabels, ReportableFacts_AreFlags) {
  constexpr std::int64_t kWallNs = 1'000'000'000;
  using Flags = std::vector<std::string>;
  const auto flags_of = [&](const Fields& machine) {
    record::LaunchReport report;
    label_machine(machine, kWallNs, report);
    EXPECT_TRUE(report.notes.empty()) << "words are made where they are printed";
    return report.flags;
  };
  const auto ns = [](double share) { return Value{static_cast<std::int64_t>(share * kWallNs)}; };
  const Value no = std::string("no"), brake = std::string("power brake");
  EXPECT_EQ(flags_of({}), Flags{}) << "nothing was watched";
  EXPECT_EQ(flags_of({{"run_queue_wait_ns", ns(0.009)}, {"steal_share", 0.009}}), Flags{});
  EXPECT_EQ(flags_of({{"run_queue_wait_ns", ns(0.01)}, {"steal_share", 0.01}}),
            (Flags{"waited_for_cpu", "steal"}));
  EXPECT_EQ(flags_of({{"others_cpu_share", 0.9}}), Flags{}) << "of no harm where nobody waited";
  EXPECT_EQ(flags_of({{"cgroup_throttled_ns", ns(0)}, {"gpu.throttled", no}}), Flags{});
  EXPECT_EQ(flags_of({{"cgroup_throttled_ns", std::int64_t{5}}, {"gpu.throttled", brake}}),
            (Flags{"cpu_quota", "throttled"}));
  EXPECT_EQ(flags_of({{"gpu.lost", true}, {"gpu.memory_errors", std::int64_t{2}}}),
            (Flags{"gpu_lost", "gpu_memory_errors"}));
}

}  // namespace
}  // namespace stepbench::run
