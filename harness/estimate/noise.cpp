// SPDX-License-Identifier: Apache-2.0
#include "harness/estimate/noise.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <span>

#include "harness/base/value.h"
#include "harness/estimate/launch_estimate.h"
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

stats::LongRunVariance step_variance(const CaseRow& row) {
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
  return stats::long_run_variance(blocks, lengths);
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
  const stats::LongRunVariance steps = step_variance(row);
  noise.wanders = steps.too_slow;
  if (steps.too_slow || steps.degrees == 0) return noise;
  noise.step_sd = std::sqrt(steps.variance);
  const stats::MeanSquare total{square(noise.total_sd), static_cast<double>(logs.size() - 1)};
  const stats::VarianceDifference launches = stats::variance_difference(
      total, {steps.variance / noise.steps, steps.degrees}, kNoiseConfidence);
  noise.launch_sd = std::sqrt(launches.value);
  noise.launch_interval = {std::sqrt(launches.interval.low), std::sqrt(launches.interval.high)};
  return noise;
}

std::vector<NoiseOverRuns> noise_over_runs(std::span<const CaseRow> rows) {
  struct Gathered {
    std::size_t place = 0;
    std::vector<stats::NestedValue> values = {};
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
    all[one.place] = {key.first, key.second, stats::nested_variances(one.values, kNoiseConfidence)};
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

}  // namespace stepbench::estimate
