// SPDX-License-Identifier: Apache-2.0
// Runs a workload's steps under its schedule and times them. Main thread only.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "harness/base/resolved_case.h"
#include "harness/os/process.h"
#include "harness/record/rows.h"
#include "harness/schedule/schedule.h"
#include "harness/worker/internal/instrument_set.h"
#include "harness/worker/internal/window_samples.h"
#include "harness/workload.h"

namespace stepbench::worker {

// The part of a case that the loop needs: schedule, windows, limits. Pure; any thread.

struct LoopOptions {
  schedule::Schedule schedule = {};
  schedule::StopRule stop = {};
  bool sync_each_step = false;  // schedule.sync: step
  // schedule.block: number of workers that deliver in turns; single steps are then not
  // representative.
  std::int64_t block_steps = 1;
  schedule::EpochSteps epoch_steps = {};  // per_epoch 0: the window's position does not matter
  std::int64_t epochs = 0;                // whole epochs in a window
  schedule::Schedule timing = {};         // schedule of the case's timing launches
  bool idle_device = false;  // windows begin on an idle device, for collectors of a profiling pass
  bool host_only = false;    // no device work continues after a step has returned
  // No step starts after it; not used with several ranks, which never stop alone. Leaves a tenth of
  // limits.wall_s, at most 10 s, for reporting and tear-down before the controller kills the
  // process.
  std::int64_t deadline_ns = 0;
};

// From the sections `schedule` and `limits`, and `profile` in a profiling pass: one cycle whose
// last profile.active steps are active. Throws Error naming a missing or invalid option.
[[nodiscard]] LoopOptions loop_options(const ResolvedCase& resolved, std::int64_t launch_began_ns,
                                       Pass pass = Pass::kTiming);

// Extends windows to whole epochs, or requires them to lie between borders. `per_epoch`:
// Workload::steps_per_epoch(). A profile keeps its requested length and ends at the same step as
// the timing launches, so that losses are comparable.
void fit_to_epochs(std::int64_t per_epoch, LoopOptions& options, Pass pass = Pass::kTiming);

struct LoopResult {
  schedule::StopReason reason = schedule::StopReason::kCount;
  bool truncated = false;  // the wall limit ended a cycle early; finished cycles are kept
  std::int64_t cycles = 0;
  std::int64_t active_steps = 0;
  std::int64_t all_steps = 0;  // since set_up; equal numbers mean equal work
  std::int64_t clock_ties = 0;
  // Sum over windows, from the first step's begin until the device has finished the last one.
  std::int64_t window_drained_ns = 0;
  std::optional<stats::Interval> within_launch = {};   // time / steps, 95 %; active: auto only
  std::optional<std::int64_t> held_growth_bytes = {};  // os::held_bytes(), over the windows
  os::Usage usage = {};                                // inside the active windows
};

// Describes the next steps; sent before each step outside a window and before each window.
struct LoopStage {
  bool active = false;
  std::int64_t steps = 0;    // steps of the window; 0 before it
  std::int64_t step_ns = 0;  // per step of this cycle or the previous window, with
                             // device work; 0: unknown
  bool host_only = false;    // all work is done when the host's work is
};

class Loop {
 public:
  using OnStage = std::function<void(const LoopStage& stage)>;
  using OnCycle = std::function<void(const Series& cycle)>;  // after each finished window

  Loop(LoopOptions options, const Clock& clock, Workload& workload, InstrumentSet& instruments,
       std::vector<std::string> phase_names);

  // Call once before run(): runs everything that takes a sample and touches its memory, so that the
  // first sample does not pay for first use. Does not touch the workload.
  void exercise();

  // Call once. Rethrows exceptions of the workload, and throws Error if no cycle was finished.
  // Finished cycles have been passed to `on_cycle` before.
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
  InstrumentSet& instruments_;
  StepRecorder recorder_;
  WindowSamples samples_;
  bool in_window_ = false;
  std::int64_t inserted_ = 0;    // extra steps outside the schedule so far
  std::int64_t cycle_from_ = 0;  // insert steps until this one
  std::int64_t cycle_began_ns_ = 0;
  std::int64_t steps_of_cycle_ = 0;  // so far
  os::Usage usage_at_begin_;
  std::optional<std::int64_t> held_at_begin_;
  std::vector<double> window_means_;
  LoopResult result_;
};

}  // namespace stepbench::worker
