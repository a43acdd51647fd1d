// SPDX-License-Identifier: Apache-2.0
#include "harness/schedule/epoch_window.h"

#include <algorithm>
#include <cassert>

namespace stepbench::schedule {
namespace {

// The border step itself is not steady.
constexpr std::int64_t kAhead = 1;

std::int64_t unsteady(const EpochSteps& steps) { return std::max<std::int64_t>(steps.refill, 1); }

}  // namespace

EpochFit fit_epochs(const EpochSteps& steps, std::int64_t active) {
  const std::int64_t least = active + kAhead + unsteady(steps);
  if (steps.per_epoch == 0 || (!steps.only_whole && steps.per_epoch > least)) {
    return {.active = active, .epochs = 0};
  }
  const std::int64_t epochs = (active + steps.per_epoch - 1) / steps.per_epoch;
  return {.active = epochs * steps.per_epoch, .epochs = epochs};
}

std::int64_t steps_past_border(const EpochSteps& steps, std::int64_t active, std::int64_t begin) {
  if (steps.per_epoch == 0) return 0;
  assert(steps.per_epoch > active + kAhead + unsteady(steps));
  const std::int64_t place = begin % steps.per_epoch;
  const bool after_border = begin >= steps.per_epoch;
  if (after_border && place < unsteady(steps)) return unsteady(steps) - place;
  if (place + active + kAhead > steps.per_epoch) return steps.per_epoch - place + unsteady(steps);
  return 0;
}

}  // namespace stepbench::schedule
