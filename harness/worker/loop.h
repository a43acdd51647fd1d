// SPDX-License-Identifier: Apache-2.0
// Drives a workload's steps under its schedule. Main thread only.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "harness/measure/instrument_set.h"
#include "harness/measure/window_samples.h"
#include "harness/schedule/schedule.h"
#include "harness/schedule/stopping.h"
#include "harness/worker/usage.h"
#include "harness/workload.h"

namespace stepbench {

struct LoopOptions {
  Schedule schedule = {};
  StopRule stop = {};
  bool sync_each_step = false;   // schedule.sync: step
  std::int64_t deadline_ns = 0;  // of the clock; no step starts later
};

struct LoopResult {
  StopReason reason = StopReason::kCount;
  bool truncated = false;  // the wall limit cut a cycle; finished ones are kept
  std::int64_t cycles = 0;
  std::int64_t active_steps = 0;
  std::int64_t clock_ties = 0;
  std::optional<Interval> within_launch = {};  // of the step time; active: auto
  Usage usage = {};                            // inside the active windows
};

class Loop {
 public:
  using OnStage = std::function<void(bool active)>;           // before warm-up and before a window
  using OnCycle = std::function<void(const Columns& cycle)>;  // after each finished window

  Loop(LoopOptions options, const Clock& clock, Workload& workload, InstrumentSet& instruments,
       std::vector<std::string> phase_names);

  void exercise();  // everything that a sample needs runs once, without the workload
  // Throws what the workload throws, and Error when no cycle was finished.
  [[nodiscard]] LoopResult run(const OnStage& on_stage, const OnCycle& on_cycle);

 private:
  void begin_window();
  void end_window(const OnCycle& on_cycle);
  void one_step(std::int64_t index);
  [[nodiscard]] bool stop_between_cycles();

  LoopOptions options_;
  const Clock& clock_;
  Workload& workload_;
  InstrumentSet& instruments_;
  StepRecorder recorder_;
  WindowSamples samples_;
  Usage usage_at_begin_;
  std::vector<double> batch_means_;
  LoopResult result_;
  bool in_window_ = false;
};

}  // namespace stepbench
