// SPDX-License-Identifier: Apache-2.0
#include "harness/schedule/window_fit.h"

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

}  // namespace stepbench::schedule
