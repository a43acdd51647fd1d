// SPDX-License-Identifier: Apache-2.0
// Drives workloads like a worker, on a ticking clock.
#pragma once

#include <concepts>

#include "harness/findings/finding.h"
#include "harness/measure/instrument.h"
#include "harness/workload.h"
#include "tests/scripted_clock.h"
#include "tests/testing.h"

namespace stepbench::test {

// The reports.
struct Told {
  std::map<std::string, double> metrics = {};
  std::map<std::string, Value> effects = {};
  std::vector<std::string> notes = {};
  std::vector<Finding> findings = {};
};
template <std::invocable<ReportSink&> Report>
Told told_by(const Report& report) {
  struct Sink final : ReportSink {
    void metric(std::string_view name, double value) override {
      reported.metrics[std::string(name)] = value;
    }
    void effective(std::string_view option, Value value) override {
      reported.effects[std::string(option)] = std::move(value);
    }
    void note(std::string text) override { reported.notes.push_back(std::move(text)); }
    void finding(Finding finding) override { reported.findings.push_back(std::move(finding)); }
    Told reported;
  } sink;
  report(sink);
  return sink.reported;
}
inline Told told_by(const Workload& workload) {
  return told_by([&](ReportSink& sink) { workload.report(sink); });
}

inline std::vector<StepRecorder::Step> take_steps(Workload& workload, StepRecorder& recorder,
                                                  std::int64_t count) {
  std::vector<StepRecorder::Step> steps;
  for (std::int64_t i = 0; i < count; ++i) {
    recorder.start_step(i);
    workload.step(recorder);
    steps.push_back(recorder.finish_step());
  }
  return steps;
}

inline std::int64_t count_of(const StepRecorder::Step& step, Count what) {
  return step.counts[static_cast<std::size_t>(what)];
}

struct Driven {
  std::vector<StepRecorder::Step> steps;
  std::int64_t steps_per_epoch = 0;
  Fingerprint fingerprint = {};
  Told reported = {};
};

template <typename Make>
Driven drive(const ResolvedCase& resolved, const Make& make, std::int64_t steps,
             Instrument* listener = nullptr) {
  const TickClock clock;
  WorkerContext context{clock, {}, {}};
  const auto workload = make(resolved, context);
  EXPECT_EQ(workload->set_up(), std::nullopt);
  StepRecorder recorder(clock);
  if (listener != nullptr) recorder.listeners({&listener, 1});
  Driven driven{.steps = take_steps(*workload, recorder, steps),
                .steps_per_epoch = workload->steps_per_epoch()};
  driven.fingerprint = workload->fingerprint();
  driven.reported = told_by(*workload);
  workload->tear_down();
  return driven;
}

}  // namespace stepbench::test
