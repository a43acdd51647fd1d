// SPDX-License-Identifier: Apache-2.0
#include "harness/schedule/schedule.h"

#include <cassert>

namespace stepbench::schedule {

Action action_at(const Schedule& schedule, std::int64_t step) {
  assert(step >= 0 && schedule.active > 0);
  if (step < schedule.skip_first) return Action::kNone;
  step -= schedule.skip_first;
  if (schedule.skip_first_wait != 0) step += schedule.wait;
  const std::int64_t cycle = schedule.wait + schedule.warmup + schedule.active;
  if (schedule.repeat > 0 && step / cycle >= schedule.repeat) return Action::kNone;
  const std::int64_t in_cycle = step % cycle;
  if (in_cycle < schedule.wait) return Action::kNone;
  if (in_cycle < schedule.wait + schedule.warmup) return Action::kWarmup;
  return in_cycle < cycle - 1 ? Action::kRecord : Action::kRecordAndSave;
}

std::optional<std::int64_t> steps_to_window(const Schedule& schedule, std::int64_t step) {
  if (step < schedule.skip_first) return std::nullopt;
  step -= schedule.skip_first;
  const bool without_wait = schedule.skip_first_wait != 0 && step == 0;
  if (schedule.skip_first_wait != 0) step += schedule.wait;
  const std::int64_t cycle = schedule.wait + schedule.warmup + schedule.active;
  if (schedule.repeat > 0 && step / cycle >= schedule.repeat) return std::nullopt;
  if (without_wait) return schedule.warmup;
  if (step % cycle != 0) return std::nullopt;
  return schedule.wait + schedule.warmup;
}

}  // namespace stepbench::schedule
