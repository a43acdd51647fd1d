// SPDX-License-Identifier: Apache-2.0
// The loop's view of a case: schedule, windows, limits. Pure; any thread.
#pragma once

#include <cstdint>

#include "harness/base/resolved_case.h"
#include "harness/record/rows.h"
#include "harness/schedule/epoch_window.h"
#include "harness/schedule/schedule.h"
#include "harness/schedule/stopping.h"

namespace stepbench::worker {

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

}  // namespace stepbench::worker
