// SPDX-License-Identifier: Apache-2.0
#include "harness/estimate/steady_state.h"

#include <boost/math/distributions/students_t.hpp>

#include <algorithm>
#include <cmath>
#include <string_view>
#include <vector>

#include "harness/base/step_flags.h"
#include "harness/base/value.h"
#include "harness/estimate/launch_values.h"
#include "harness/estimate/step_columns.h"
#include "harness/stats/order_statistics.h"

namespace stepbench::estimate {
namespace {

constexpr double kMin = 0.005;    // share of the step; smaller effects are not reported
constexpr double kAlpha = 0.015;  // one-sided
constexpr double kPower = 0.95;
constexpr double kConfidence = 0.95;
constexpr std::size_t kMinTurns = 4;

struct Sum {
  double time = 0;
  double steps = 0;
  void add(double step) {
    time += step;
    ++steps;
  }
  [[nodiscard]] double mean() const { return time / steps; }
};

struct LaunchEffect {
  double log_change = 0;
  double settled = 0;  // mean over the last halves of the windows
};

// First step of the second half, in whole turns.
std::size_t half_of(std::size_t steps, std::size_t turn) { return steps - steps / turn / 2 * turn; }

bool is_excluded(const StepWindows& launch, std::size_t window, std::size_t step) {
  const std::vector<bool>& flags = launch.excluded[window];
  return !flags.empty() && flags[step];
}

std::optional<LaunchEffect> effect_of(const StepWindows& launch) {
  Sum all;
  Sum counted;
  Sum settled;
  for (std::size_t w = 0; w < launch.times.size(); ++w) {
    const std::vector<double>& times = launch.times[w];
    if (times.size() / launch.turn < kMinTurns) return std::nullopt;
    const std::size_t half = half_of(times.size(), launch.turn);
    for (std::size_t i = 0; i < times.size(); ++i) {
      all.add(times[i]);
      if (i < times.size() % launch.turn || is_excluded(launch, w, i)) continue;
      counted.add(times[i]);
      if (i >= half) settled.add(times[i]);
    }
  }
  if (settled.steps == 0 || !(settled.time > 0)) return std::nullopt;
  const double excess = (counted.mean() - settled.mean()) * counted.steps / all.steps;
  if (!(excess < all.mean())) return std::nullopt;
  return LaunchEffect{-std::log1p(-excess / all.mean()), settled.mean()};
}

// Number of steps to drop from the start of each window. Drops whole turns until the mean excess of
// the rest, over all windows and launches and relative to the last half of each launch, is below
// kMin; at most half a window.
std::int64_t steps_to_drop(std::span<const StepWindows> launches,
                           std::span<const LaunchEffect> effects) {
  const std::size_t turn = launches.front().turn;
  std::size_t longest = 0;
  for (const StepWindows& launch : launches) {
    for (const auto& times : launch.times) longest = std::max(longest, times.size());
  }
  std::vector<Sum> excess(longest);
  for (std::size_t k = 0; k < launches.size(); ++k) {
    for (std::size_t w = 0; w < launches[k].times.size(); ++w) {
      const std::vector<double>& times = launches[k].times[w];
      for (std::size_t i = 0; i < times.size(); ++i) {
        if (!is_excluded(launches[k], w, i)) excess[i].add(times[i] / effects[k].settled - 1);
      }
    }
  }
  Sum rest;
  for (const Sum& step : excess) {
    rest.time += step.time;
    rest.steps += step.steps;
  }
  const std::size_t half = half_of(longest, turn);
  std::size_t drop = 0;
  while (drop < half && rest.steps > 0 && rest.mean() >= kMin) {
    for (std::size_t end = std::min(drop + turn, half); drop < end; ++drop) {
      rest.time -= excess[drop].time;
      rest.steps -= excess[drop].steps;
    }
  }
  return static_cast<std::int64_t>(drop);
}

double beyond(const boost::math::students_t& law, double tail) {
  return boost::math::quantile(boost::math::complement(law, tail));
}

// Step times of the windows: between the ends of steps on the device if the row uses that clock.
StepWindows windows_of(const record::Launch& launch, StepClock clock) {
  StepWindows out;
  const double turn = number_of(launch.row.options, "schedule.block").value_or(1);
  out.turn = static_cast<std::size_t>(std::max(turn, 1.0));
  for (const record::CycleSamples& samples : launch.samples) {
    const bool on_device = clock == StepClock::kDevice;
    const auto* times = samples.steps.find(on_device ? "period_device_ns" : "step_ns");
    if (times == nullptr || times->empty()) continue;
    out.times.emplace_back(times->begin(), times->end());
    std::vector<bool>& excluded = out.excluded.emplace_back();
    const auto* flags = samples.steps.find("flags");
    if (flags == nullptr) continue;
    excluded.resize(times->size());
    for (std::size_t i = 0; i < flags->size(); ++i) {
      if (((*flags)[i] & kEpochBorder) == 0 || ((*flags)[i] & kFirstBatch) != 0) continue;
      const std::size_t end = std::min(i + out.turn, excluded.size());
      std::fill(excluded.begin() + std::ptrdiff_t(i), excluded.begin() + std::ptrdiff_t(end), true);
    }
  }
  return out;
}

}  // namespace

std::optional<WarmupEffect> warmup_effect(std::span<const StepWindows> launches) {
  std::vector<StepWindows> judged;
  std::vector<LaunchEffect> effects;
  std::vector<double> changes;
  for (const StepWindows& launch : launches) {
    if (launch.times.empty()) continue;
    const auto effect = effect_of(launch);
    if (!effect) continue;
    judged.push_back(launch);
    effects.push_back(*effect);
    changes.push_back(effect->log_change);
  }
  if (changes.size() < 2) return std::nullopt;
  const auto n = static_cast<double>(changes.size());
  Sum sum;
  for (const double change : changes) sum.add(change);
  const double error = stats::standard_deviation(changes) / std::sqrt(n);
  const boost::math::students_t law(n - 1);
  const double half = error * beyond(law, (1 - kConfidence) / 2);
  WarmupEffect out{.launches = changes.size(),
                   .change = std::expm1(sum.mean()),
                   .interval = {std::expm1(sum.mean() - half), std::expm1(sum.mean() + half)}};
  out.reported = out.change >= kMin && sum.mean() > error * beyond(law, kAlpha);
  out.finds = std::max(kMin, std::expm1(error * (beyond(law, kAlpha) + beyond(law, 1 - kPower))));
  if (out.reported) out.drop = std::max<std::int64_t>(1, steps_to_drop(judged, effects));
  return out;
}

std::optional<WarmupEffect> warmup_effect(const CaseRow& row) {
  if (row.latency_ns || row.smoke) return std::nullopt;
  std::vector<StepWindows> launches;
  for (const auto& [launch, estimate] : row.measured) {
    launches.push_back(windows_of(*launch, row.clock));
  }
  return warmup_effect(launches);
}

std::optional<UnevenQueue> uneven_queue(const CaseRow& row) {
  constexpr double kWaits = 0.02;  // share of the host's step; below it the loader is no bottleneck
  constexpr double kLevel = 0.02;  // share of the window's steps
  if (row.measured.empty() || row.data_wait_share.value_or(1) < kWaits) return std::nullopt;
  std::vector<double> at_begin;
  std::vector<double> gained;
  std::vector<double> steps;
  for (const auto& [launch, estimate] : row.measured) {
    const double begin = reported(*launch, "loader_ready_at_begin");
    const double end = reported(*launch, "loader_ready_at_end");
    if (std::isnan(begin) || std::isnan(end)) return std::nullopt;
    const double windows =
        std::max(1.0, number_of(launch->row.report.schedule, "cycles").value_or(1));
    at_begin.push_back(begin / windows);
    gained.push_back((end - begin) / windows);
    steps.push_back(static_cast<double>(estimate.steps) / windows);
  }
  const double more = stats::median(gained);
  const double taken = stats::median(steps);
  if (!(std::abs(more) > kLevel * taken) || !(taken + more > 0)) return std::nullopt;
  const double made_ns = *row.step_ns * taken / (taken + more);
  const double warmup = more < 0 ? taken * stats::median(at_begin) / -more : std::max(taken, more);
  return UnevenQueue{.gained = more,
                     .low_ns = std::min(*row.step_ns, made_ns),
                     .high_ns = std::max(*row.step_ns, made_ns),
                     .more_warmup = std::llround(warmup)};
}

namespace {

constexpr std::size_t kMinLaunchesForSlowSteps = 3;
constexpr std::int64_t kExpected = 10;

const MeasuredLaunch& in_the_middle(const CaseRow& row) {
  return *std::min_element(row.measured.begin(), row.measured.end(),
                           [&](const MeasuredLaunch& a, const MeasuredLaunch& b) {
                             const auto distance = [&](const MeasuredLaunch& each) {
                               return std::abs(step_ns(each.estimate, row.clock) - *row.step_ns);
                             };
                             return distance(a) < distance(b);
                           });
}

// Rounds up to two significant digits.
std::int64_t rounded_up(double steps) {
  const double unit = std::pow(10.0, std::max(0.0, std::floor(std::log10(steps)) - 1));
  return static_cast<std::int64_t>(std::ceil(steps / unit) * unit);
}

}  // namespace

std::optional<RareSlowSteps> rare_slow_steps(const CaseRow& row, double margin) {
  if (row.measured.size() < kMinLaunchesForSlowSteps || !row.mean_ns || !(*row.step_ns > 0))
    return {};
  RareSlowSteps found{.difference = *row.mean_ns / *row.step_ns - 1};
  if (!(found.difference > margin)) return {};
  const std::string_view column = row.clock == StepClock::kDevice ? "period_device_ns" : "step_ns";
  const std::vector<double> usual = StepColumns(*in_the_middle(row).launch).values(column);
  const double longest = *std::max_element(usual.begin(), usual.end());
  for (const auto& [launch, estimate] : row.measured) {
    const std::vector<double> times = StepColumns(*launch).values(column);
    found.steps += static_cast<std::int64_t>(times.size());
    found.slow +=
        std::count_if(times.begin(), times.end(), [&](double time) { return time > longest; });
  }
  // Launches that are slow throughout reflect the state of the machine or program, not rare steps.
  const double per_launch =
      static_cast<double>(found.slow) / static_cast<double>(row.measured.size());
  if (found.slow == 0 || per_launch >= 1) return {};
  found.active =
      rounded_up(static_cast<double>(kExpected * found.steps) / static_cast<double>(found.slow));
  return found;
}

}  // namespace stepbench::estimate
