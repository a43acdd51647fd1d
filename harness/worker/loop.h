// SPDX-License-Identifier: Apache-2.0
// Drives a workload's steps under its schedule and times them. Main thread only.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "harness/measure/instrument_set.h"
#include "harness/measure/window_samples.h"
#include "harness/os/usage.h"
#include "harness/worker/loop_options.h"
#include "harness/workload.h"

namespace stepbench::worker {

struct LoopResult {
  schedule::StopReason reason = schedule::StopReason::kCount;
  bool truncated = false;  // the wall limit cut a cycle; finished ones are kept
  std::int64_t cycles = 0;
  std::int64_t active_steps = 0;
  std::int64_t all_steps = 0;  // since set_up; launches of equal number did the same work
  std::int64_t clock_ties = 0;
  // From the begin of each window's first step until the device has done its last one; summed.
  std::int64_t window_drained_ns = 0;
  std::optional<stats::Interval> within_launch = {};  // of time / steps, 95 %; active: auto
  os::Usage usage = {};                               // inside the active windows
};

// Of the steps that follow, told before each step outside a window and before each window.
struct LoopStage {
  bool active = false;
  std::int64_t steps = 0;    // of the window; 0 before it
  std::int64_t step_ns = 0;  // per step of this cycle or the window before, the device's work in
                             // it; 0: not known
  bool host_alone = false;   // what the host has done is all that was done
};

class Loop {
 public:
  using OnStage = std::function<void(const LoopStage& stage)>;
  using OnCycle = std::function<void(const Series& cycle)>;  // after each finished window

  Loop(LoopOptions options, const Clock& clock, Workload& workload,
       measure::InstrumentSet& instruments, std::vector<std::string> phase_names);

  // Once before run(): everything that takes a sample runs, and its memory is touched, so that the
  // first sample does not pay for first use. Leaves the workload alone.
  void exercise();

  // Once. Throws what the workload throws, and Error when no cycle was finished. Finished cycles
  // were handed out before.
  [[nodiscard]] LoopResult run(const OnStage& on_stage, const OnCycle& on_cycle);

 private:
  void drive(const OnStage& on_stage, const OnCycle& on_cycle);
  [[nodiscard]] Action next_action(std::int64_t step);
  void prepare(Action action, const OnStage& on_stage);
  void one_step(std::int64_t index);
  void end_window(const OnCycle& on_cycle);
  [[nodiscard]] bool stop_between_cycles();
  [[nodiscard]] std::int64_t known_step_ns(bool drained) const;

  LoopOptions options_;
  const Clock& clock_;
  Workload& workload_;
  measure::InstrumentSet& instruments_;
  StepRecorder recorder_;
  measure::WindowSamples samples_;
  bool in_window_ = false;
  std::int64_t inserted_ = 0;    // steps that are not in the schedule, so far
  std::int64_t cycle_from_ = 0;  // until this step, steps are inserted
  std::int64_t cycle_began_ns_ = 0;
  std::int64_t steps_of_cycle_ = 0;  // so far
  os::Usage usage_at_begin_;
  std::vector<double> window_means_;
  LoopResult result_;
};

}  // namespace stepbench::worker
