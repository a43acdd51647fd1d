// SPDX-License-Identifier: Apache-2.0
#include "harness/worker/report.h"

#include <gmock/gmock.h>

namespace stepbench {
namespace {

using testing::ElementsAre;

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

// Knows one thing better than the workload, and says another of two devices.
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

TEST(Report, WhatAnInstrumentKnowsBetterTakesThePlaceOfWhatTheWorkloadSays) {
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

}  // namespace
}  // namespace stepbench
