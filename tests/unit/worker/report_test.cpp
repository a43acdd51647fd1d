// SPDX-License-Identifier: Apache-2.0
#include "harness/findings/finding.h"
#include "harness/worker/internal/launch.h"
#include "tests/testing.h"

namespace stepbench::worker {
namespace {

Finding finding(const char* id, const char* text) { return {.id = id, .text = text}; }

class Concluding final : public Workload {
 public:
  std::optional<std::string> set_up() override { return std::nullopt; }
  void step(StepRecorder&) override {}
  void tear_down() override {}
  Fingerprint fingerprint() override { return {0, 0}; }
  void report(ReportSink& sink) const override {
    sink.metric("peak_allocated_bytes", 10);
    sink.finding(finding("allocator.device_allocations", "in some steps"));
    sink.finding(finding("loader.starved", "too few workers"));
  }
};

// Reports one metric better than the workload, and another one for two devices.
class Knowing final : public Instrument {
 public:
  [[nodiscard]] std::string_view name() const override { return "knowing"; }
  [[nodiscard]] std::optional<std::string> exercise() override { return std::nullopt; }
  void change(Action, Action) override {}
  void step_begin(std::int64_t) override {}
  void step_end() noexcept override {}
  void phase_begin(PhaseId, DeviceStream) override {}
  void phase_end(PhaseId, DeviceStream) noexcept override {}
  void report(ReportSink& sink) const override {
    sink.metric("peak_allocated_bytes", 12);
    sink.finding(finding("memory.spike", "on the host"));
    sink.finding(finding("memory.spike", "on the device"));
    sink.finding(finding("allocator.device_allocations", "in steps 3 and 4"));
  }
};

TEST(Report, InstrumentsMetric_Wins) {
  Concluding workload;
  std::vector<std::unique_ptr<Instrument>> made;
  made.push_back(std::make_unique<Knowing>());
  const InstrumentSet instruments(std::move(made));
  LaunchEvidence evidence;
  collect(workload, instruments, evidence);
  EXPECT_EQ(evidence.report.metrics.at("peak_allocated_bytes"), 12);
  std::vector<std::string> texts;
  for (const Finding& each : evidence.report.findings) texts.push_back(each.text);
  EXPECT_THAT(texts,
              ElementsAre("in steps 3 and 4", "too few workers", "on the host", "on the device"));
}

Series steps_of(std::vector<std::int64_t> step_ns) {
  const std::vector<std::int64_t> none(step_ns.size(), 0);
  return {.names = {"step_ns", "flags"}, .columns = {std::move(step_ns), none}};
}

TEST(Report, Cycle_HasItsMeanStep) {
  const protocol::CycleMessage message = cycle_message(3, steps_of({1, 1, 1, 400}));
  EXPECT_EQ(message.cycle, 3);
  EXPECT_EQ(message.steps, 4);
  EXPECT_EQ(message.mean_step_ns, 101) << "403 / 4, rounded; the median is 1";
}

TEST(Report, DrainedTime_IsReported) {
  LaunchEvidence evidence;
  evidence.loop.window_drained_ns = 12345;
  const record::LaunchReport report = make_report(evidence, {});
  EXPECT_EQ(report.schedule.at("window_drained_ns"), Value(std::int64_t{12345}));
  EXPECT_EQ(report.schedule.at("epochs"), Value(std::int64_t{0}));
  EXPECT_THAT(report.notes, IsEmpty());
}

TEST(Report, WholeEpochs_AreCounted) {
  const auto report_of = [](std::int64_t steps_of_an_epoch) {
    LaunchEvidence evidence;
    evidence.options.schedule.active = 50;
    fit_to_epochs(steps_of_an_epoch, evidence.options);
    return make_report(evidence, {});
  };
  const record::LaunchReport whole = report_of(16);
  EXPECT_EQ(whole.schedule.at("epochs"), Value(std::int64_t{4}));
  EXPECT_EQ(whole.effective.at("schedule.active"), Value(std::int64_t{64}));
  EXPECT_THAT(whole.notes, IsEmpty());
  const record::LaunchReport between = report_of(1000);
  EXPECT_EQ(between.schedule.at("epochs"), Value(std::int64_t{0}));
  EXPECT_THAT(between.notes, ElementsAre(HasSubstr("schedule.active: 1000 holds")));
}

}  // namespace
}  // namespace stepbench::worker
