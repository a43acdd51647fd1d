// SPDX-License-Identifier: Apache-2.0
#include "harness/schedule/schedule.h"

#include <boost/math/distributions/students_t.hpp>

#include <cassert>
#include <cmath>
#include <numeric>
#include <vector>

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

namespace {

constexpr std::size_t kMinWindows = 10;  // windows, and joined windows

// Number of windows in a joined one.
std::size_t joined(std::size_t windows) {
  std::size_t length = 1;
  while (windows / (2 * length) >= kMinWindows) length *= 2;
  return length;
}

double mean(std::span<const double> values) {
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

// Half-width of Student's interval of the mean; needs two values or more.
double half_width_of_mean(std::span<const double> values, double confidence) {
  const double centre = mean(values);
  const auto n = static_cast<double>(values.size());
  double squares = 0;
  for (const double value : values) squares += (value - centre) * (value - centre);
  const boost::math::students_t law(n - 1);
  return boost::math::quantile(boost::math::complement(law, (1 - confidence) / 2)) *
         std::sqrt(squares / (n - 1) / n);
}

bool is_precise(const StopRule& rule, std::span<const double> window_means) {
  const auto interval = interval_of_windows(window_means);
  return interval && (interval->high - interval->low) / 2 <= rule.precision * mean(window_means);
}

// Checks only when a joined window is complete, and requires two consecutive precise checks: with
// many checks, a single interval may be narrow by chance.
bool precise_twice_running(const StopRule& rule, std::span<const double> window_means) {
  const std::size_t windows = window_means.size();
  const std::size_t length = joined(windows);
  if (windows % length != 0 || windows <= kMinWindows) return false;
  const std::size_t before = windows - joined(windows - 1);
  return is_precise(rule, window_means) && is_precise(rule, window_means.first(before));
}

}  // namespace

StopVerdict stop_after(const StopRule& rule, std::int64_t cycles_done, std::int64_t active_done,
                       std::span<const double> window_means) {
  const bool enough_cycles = rule.cycles > 0 && cycles_done >= rule.cycles;
  StopVerdict verdict;
  if (!rule.automatic) {
    if (enough_cycles) verdict.stop = StopReason::kCount;
    return verdict;
  }
  verdict.interval = interval_of_windows(window_means);
  if (enough_cycles && precise_twice_running(rule, window_means)) {
    verdict.stop = StopReason::kPrecision;
  } else if (active_done >= rule.max_active) {
    verdict.stop = StopReason::kCount;
  }
  return verdict;
}

std::optional<stats::Interval> interval_of_windows(std::span<const double> window_means) {
  constexpr double kConfidence = 0.95;
  if (window_means.size() < kMinWindows) return std::nullopt;
  const std::size_t length = joined(window_means.size());
  std::vector<double> means;
  for (auto rest = window_means; rest.size() >= length; rest = rest.subspan(length)) {
    means.push_back(mean(rest.first(length)));
  }
  const double half_width = half_width_of_mean(means, kConfidence);
  const double centre = mean(window_means);
  return stats::Interval{centre - half_width, centre + half_width};
}

}  // namespace stepbench::schedule
