// SPDX-License-Identifier: Apache-2.0
// Selects the measured steps: the transition table of torch.profiler.schedule. Pure; any thread.
#pragma once

#include <cstdint>
#include <optional>

#include "harness/schedule/action.h"

namespace stepbench::schedule {

// A cycle is wait + warmup + active steps. All counts are >= 0, active > 0.
struct Schedule {
  std::int64_t wait = 1;
  std::int64_t warmup = 10;
  std::int64_t active = 50;
  std::int64_t repeat = 1;           // cycles; 0: unlimited
  std::int64_t skip_first = 0;       // before the first cycle
  std::int64_t skip_first_wait = 0;  // not 0: the first cycle has no wait steps
};

// Action of a step, counted from 0. The last active step of a cycle saves.
[[nodiscard]] Action action_at(const Schedule& schedule, std::int64_t step);

// If a cycle begins at this step: the number of its steps before the window. Else nullopt.
[[nodiscard]] std::optional<std::int64_t> steps_to_window(const Schedule& schedule,
                                                          std::int64_t step);

[[nodiscard]] constexpr bool is_active(Action action) {
  return action == Action::kRecord || action == Action::kRecordAndSave;
}

}  // namespace stepbench::schedule
