// SPDX-License-Identifier: Apache-2.0
#include "harness/estimate/rare_slow_steps.h"

#include <algorithm>
#include <cmath>
#include <string_view>

#include "harness/estimate/step_columns.h"

namespace stepbench::estimate {
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
