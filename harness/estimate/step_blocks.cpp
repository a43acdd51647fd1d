// SPDX-License-Identifier: Apache-2.0
#include "harness/estimate/step_blocks.h"

#include <algorithm>
#include <cmath>
#include <span>

#include "harness/base/value.h"
#include "harness/estimate/launch_estimate.h"
#include "harness/stats/autocorrelation.h"
#include "harness/stats/order.h"

namespace stepbench::estimate {
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
