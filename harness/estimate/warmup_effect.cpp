// SPDX-License-Identifier: Apache-2.0
#include "harness/estimate/warmup_effect.h"

#include <algorithm>
#include <boost/math/distributions/students_t.hpp>
#include <cmath>

#include "harness/base/step_flags.h"
#include "harness/base/value.h"
#include "harness/stats/order.h"

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

}  // namespace stepbench::estimate
