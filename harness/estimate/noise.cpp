// SPDX-License-Identifier: Apache-2.0
#include "harness/estimate/noise.h"

#include <algorithm>
#include <boost/math/distributions/students_t.hpp>
#include <cmath>
#include <map>
#include <numeric>
#include <span>
#include <string_view>
#include <vector>

#include "harness/base/step_flags.h"
#include "harness/base/value.h"
#include "harness/estimate/internal/launch_estimate.h"
#include "harness/estimate/launch_values.h"
#include "harness/record/quality.h"
#include "harness/stats/order_statistics.h"
#include "harness/stats/trend.h"

namespace stepbench::estimate {
namespace {

constexpr double kNoiseConfidence = 0.95;
constexpr std::size_t kMinLaunches = 3;

double square(double x) { return x * x; }

// Logarithms of the launches' main numbers: launches differ by ratios. Skips launches without a
// number.
std::vector<double> log_headlines(const CaseRow& row) {
  std::vector<double> logs;
  for (const auto& [launch, estimate] : row.measured) {
    const double ns = headline_ns(estimate, row.clock);
    if (ns > 0) logs.push_back(std::log(ns));
  }
  return logs;
}

LongRunVariance step_variance(const CaseRow& row) {
  std::vector<std::vector<double>> blocks;
  std::vector<double> lengths;
  for (const MeasuredLaunch& each : row.measured) {
    StepBlocks own = step_blocks(*each.launch);
    if (own.means.empty()) continue;
    const double level = std::accumulate(own.means.begin(), own.means.end(), 0.0) /
                         static_cast<double>(own.means.size());
    if (!(level > 0)) continue;
    for (double& mean : own.means) mean /= level;
    blocks.push_back(std::move(own.means));
    lengths.push_back(static_cast<double>(own.length));
  }
  return long_run_variance(blocks, lengths);
}

void add_costs(const CaseRow& row, CaseNoise& noise) {
  std::vector<double> overheads;
  std::vector<double> steps;
  double inverse = 0;
  for (const auto& [launch, estimate] : row.measured) {
    const auto window = static_cast<double>(estimate.host_ns);
    const auto wall = static_cast<double>(launch->row.wall_ns);
    if (wall >= window) overheads.push_back(wall - window);
    steps.push_back(window / static_cast<double>(estimate.steps));
    inverse += 1 / static_cast<double>(estimate.steps);
  }
  noise.steps = static_cast<double>(row.measured.size()) / inverse;
  noise.step_ns = stats::median(steps);
  if (!overheads.empty()) noise.overhead_ns = stats::median(overheads);
}

}  // namespace

std::optional<CaseNoise> noise_of(const CaseRow& row) {
  const std::vector<double> logs = log_headlines(row);
  if (logs.size() < kMinLaunches || row.smoke) return std::nullopt;
  CaseNoise noise{.launches = logs.size(), .total_sd = stats::standard_deviation(logs)};
  add_costs(row, noise);
  const LongRunVariance steps = step_variance(row);
  noise.wanders = steps.too_slow;
  if (steps.too_slow || steps.degrees == 0) return noise;
  noise.step_sd = std::sqrt(steps.variance);
  const MeanSquare total{square(noise.total_sd), static_cast<double>(logs.size() - 1)};
  const VarianceDifference launches =
      variance_difference(total, {steps.variance / noise.steps, steps.degrees}, kNoiseConfidence);
  noise.launch_sd = std::sqrt(launches.value);
  noise.launch_interval = {std::sqrt(launches.interval.low), std::sqrt(launches.interval.high)};
  return noise;
}

std::vector<NoiseOverRuns> noise_over_runs(std::span<const CaseRow> rows) {
  struct Gathered {
    std::size_t place = 0;
    std::vector<NestedValue> values = {};
    std::map<std::string, std::size_t> builds = {};
    std::size_t runs = 0;
  };
  std::map<std::pair<std::string, std::string>, Gathered> cases;
  for (const CaseRow& row : rows) {
    const std::vector<double> logs = log_headlines(row);
    if (logs.empty() || row.smoke || row.pass != Pass::kTiming) continue;
    Gathered& one = cases.try_emplace({row.case_id, row.arm}, Gathered{cases.size()}).first->second;
    const std::string build = row.worker == nullptr ? std::string() : row.worker->build_id;
    const std::size_t outer = one.builds.try_emplace(build, one.builds.size()).first->second;
    for (const double value : logs) one.values.push_back({outer, one.runs, value});
    ++one.runs;
  }
  std::vector<NoiseOverRuns> all(cases.size());
  for (const auto& [key, one] : cases) {
    if (one.runs < 2) continue;
    all[one.place] = {key.first, key.second, nested_variances(one.values, kNoiseConfidence)};
  }
  std::erase_if(all, [](const NoiseOverRuns& each) { return each.case_id.empty(); });
  return all;
}

namespace {

constexpr std::int64_t kBlocks = 20;  // approximate number per launch

// Number of steps delivered together by the loader's workers.
std::int64_t workers_of(const record::LaunchRow& row) {
  constexpr std::string_view kWorkers = "loader.num_workers";
  const auto effective = number_of(row.report.effective, kWorkers);
  const double workers = effective.value_or(number_of(row.options, kWorkers).value_or(1));
  return std::max<std::int64_t>(std::llround(workers), 1);
}

std::vector<std::span<const std::int64_t>> windows_of(const record::Launch& launch) {
  std::vector<std::span<const std::int64_t>> windows;
  for (const record::CycleSamples& samples : launch.samples) {
    const std::vector<std::int64_t>* step = samples.steps.find("period_device_ns");
    if (step == nullptr) step = samples.steps.find("step_ns");
    if (step != nullptr) windows.emplace_back(*step);
  }
  return windows;
}

}  // namespace

StepBlocks step_blocks(const record::Launch& launch) {
  const auto windows = windows_of(launch);
  StepBlocks blocks;
  for (const auto& window : windows) blocks.steps += std::ssize(window);
  const std::int64_t turn = workers_of(launch.row);
  const std::int64_t turns = std::max<std::int64_t>((blocks.steps / kBlocks + turn - 1) / turn, 1);
  blocks.length = static_cast<std::size_t>(turns * turn);
  if (text_of(launch.row.options, "schedule.sync") == "step") {
    const std::vector<double> times = quantile_times(launch);
    for (std::size_t i = 0; i + blocks.length <= times.size(); i += blocks.length) {
      blocks.means.push_back(stats::median(std::span(times).subspan(i, blocks.length)));
    }
    return blocks;
  }
  for (const auto& window : windows) {
    const std::vector<double> own = stats::block_means(window, blocks.length);
    blocks.means.insert(blocks.means.end(), own.begin(), own.end());
  }
  return blocks;
}

namespace {

using record::Fact;
using record::FactLevel;
using record::Quality;

bool is_from(Fact fact, double value, FactLevel level) {
  return record::row_of(fact).level(value) >= level;
}

}  // namespace

bool BusyMachine::only_own_threads() const {
  return others && !is_from(Fact::kOthers, *others, FactLevel::kSeen);
}

std::optional<BusyMachine> busy_machine(const CaseRow& row) {
  std::vector<double> waits;
  std::vector<double> others;
  std::size_t reported = 0;
  for (const MeasuredLaunch& each : row.measured) {
    const Quality quality(each.launch->row);
    if (quality.reported(Fact::kWaited)) ++reported;
    if (const auto share = quality.value(Fact::kWaited)) waits.push_back(*share);
    if (const auto share = quality.value(Fact::kOthers)) others.push_back(*share);
  }
  if (waits.empty() || 2 * reported < row.measured.size()) return std::nullopt;
  BusyMachine busy{.waited = stats::quantile(waits, 0.5)};
  if (!others.empty()) busy.others = stats::quantile(others, 0.5);
  return busy;
}

bool others_may_explain(const CaseRow& row) {
  constexpr double kMuchWaitForData = 0.1;
  const auto busy = busy_machine(row);
  return busy && busy->others && is_from(Fact::kOthers, *busy->others, FactLevel::kDoubtful) &&
         (is_from(Fact::kWaited, busy->waited, FactLevel::kDoubtful) ||
          row.data_wait_share.value_or(0) >= kMuchWaitForData);
}

std::vector<BusyMachine> busy_launches(const CaseRow& row) {
  std::vector<BusyMachine> busy;
  for (const MeasuredLaunch& each : row.measured) {
    const Quality quality(each.launch->row);
    const auto share = quality.value(Fact::kWaited);
    if (share && quality.reported(Fact::kWaited))
      busy.push_back({*share, quality.value(Fact::kOthers)});
  }
  return busy;
}

std::optional<BusyMachine> busiest(std::span<const CaseRow> rows) {
  std::optional<BusyMachine> most;
  for (const CaseRow& row : rows) {
    const auto busy = busy_machine(row);
    if (busy && (!most || busy->waited > most->waited)) most = busy;
  }
  return most && is_from(Fact::kWaited, most->waited, FactLevel::kDoubtful) ? most : std::nullopt;
}

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
