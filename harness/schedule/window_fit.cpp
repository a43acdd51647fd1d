// SPDX-License-Identifier: Apache-2.0
#include "harness/schedule/window_fit.h"

#include <algorithm>
#include <cassert>
#include <cmath>

namespace stepbench::schedule {
namespace {

// The numbers of ready batches at a window's begin and end differ by about a third of a turn.
constexpr double kTurnsAtItsEnds = 1.0 / 3;

// Batches are delivered in order, so the slowest of a turn delays the others.
double spread_of_batches(double batch_cv, std::int64_t workers) {
  return batch_cv * batch_cv * std::sqrt(static_cast<double>(workers));
}

}  // namespace

std::int64_t rounded_up(std::int64_t steps, std::int64_t block) {
  return (steps + block - 1) / block * block;
}

double window_sd(double batch_cv, std::int64_t workers, std::int64_t steps) {
  const auto n = static_cast<double>(steps);
  const double ends = kTurnsAtItsEnds * static_cast<double>(workers) / n;
  return std::sqrt(spread_of_batches(batch_cv, workers) / n + ends * ends);
}

std::int64_t steps_for_sd(double batch_cv, std::int64_t workers, double sd) {
  return static_cast<std::int64_t>(std::ceil(spread_of_batches(batch_cv, workers) / (sd * sd) +
                                             kTurnsAtItsEnds * static_cast<double>(workers) / sd));
}

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
