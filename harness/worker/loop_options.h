// SPDX-License-Identifier: Apache-2.0
// What the loop needs to know of a case: schedule, windows, limits. Pure; any thread.
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
  // schedule.block: so many workers deliver in turns, so that single steps say little.
  std::int64_t block_steps = 1;
  schedule::EpochSteps epoch_steps = {};  // per_epoch 0: where a window lies does not matter
  std::int64_t epochs = 0;                // whole ones in a window
  schedule::Schedule timing = {};         // of the case's timing launches
  bool idle_device = false;  // windows begin on one: collectors of a profiling pass ask for it
  bool host_alone = false;   // no device works on after a step has returned
  // No step starts later; of several ranks none ends by itself. A tenth of limits.wall_s, at most
  // 10 s, is left for reporting and tear-down before the controller ends the process.
  std::int64_t deadline_ns = 0;
};

// From the sections `schedule` and `limits`, and `profile` in a profiling pass: one cycle whose
// last profile.active steps are active. Throws Error naming an option that is missing or wrong.
[[nodiscard]] LoopOptions loop_options(const ResolvedCase& resolved, std::int64_t launch_began_ns,
                                       Pass pass = Pass::kTiming);

// Makes the windows hold whole epochs, or says that they must lie between borders. `per_epoch` is
// what Workload::steps_per_epoch() says. A profile stays as short as it was asked for, and ends
// where the timing launches end: a loss is compared after equally many steps.
void fit_to_epochs(std::int64_t per_epoch, LoopOptions& options, Pass pass = Pass::kTiming);

}  // namespace stepbench::worker
