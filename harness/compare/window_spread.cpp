// SPDX-License-Identifier: Apache-2.0
#include "harness/compare/window_spread.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <vector>

#include "harness/base/value.h"
#include "harness/stats/autocorrelation.h"
#include "harness/stats/order.h"

namespace stepbench::compare {
namespace {

constexpr std::int64_t kBlocks = 20;  // of a launch, about

// Steps that come in one turn of the loader's workers.
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

std::optional<WindowSpread> window_spread(std::span<const record::Launch* const> launches) {
  double squares = 0;
  std::vector<double> steps;
  for (const record::Launch* launch : launches) {
    const auto windows = windows_of(*launch);
    std::int64_t all = 0;
    for (const auto& window : windows) all += std::ssize(window);
    const std::int64_t turn = workers_of(launch->row);
    const std::int64_t length = std::max<std::int64_t>((all / kBlocks + turn - 1) / turn, 1) * turn;
    std::vector<double> means;
    for (const auto& window : windows) {
      const auto own = stats::block_means(window, static_cast<std::size_t>(length));
      means.insert(means.end(), own.begin(), own.end());
    }
    const double spread = stats::spread_of_mean(means);
    if (!std::isfinite(spread)) continue;
    squares += spread * spread;
    steps.push_back(static_cast<double>(all));
  }
  if (steps.empty()) return std::nullopt;
  return WindowSpread{std::sqrt(squares / static_cast<double>(steps.size())),
                      std::llround(stats::median(steps))};
}

}  // namespace stepbench::compare
