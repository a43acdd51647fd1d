// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "harness/record/rows.h"
#include "harness/resolved_case.h"
#include "harness/schedule/schedule.h"
#include "harness/schedule/stopping.h"

namespace stepbench {

struct LoopOptions {
  Schedule schedule = {};
  StopRule stop = {};
  bool sync_each_step = false;  // schedule.sync: step
  // No step starts later. A tenth of limits.wall_s, at most 10 s, is left for reporting and
  // tear-down before the controller ends the process.
  std::int64_t deadline_ns = 0;
};

// From the sections `schedule` and `limits`, and `profile` in a profiling pass: one cycle whose
// last profile.active steps are active. Throws Error naming an option that is missing or wrong.
[[nodiscard]] LoopOptions loop_options(const ResolvedCase& resolved, std::int64_t launch_began_ns,
                                       Pass pass = Pass::kTiming);

}  // namespace stepbench
