// SPDX-License-Identifier: Apache-2.0
#include "harness/compare/launch_design.h"

#include <algorithm>
#include <cmath>

#include "harness/compare/judge.h"

namespace stepbench::compare {
namespace {

constexpr double kMinSteps = 20;
constexpr double kMaxSteps = 1e6;

// Largest spread of launches at which the change is found; 0 if there is none.
double largest_sd(ComparisonSize size, std::size_t launches, double change) {
  size.launches = launches;
  double low = 1e-7;
  double high = 1;
  const auto finds = [&](double sd) {
    const auto found = change_found(size, sd);
    return found && *found <= change;
  };
  if (!finds(low)) return 0;
  while (high / low > 1.001) {
    const double middle = std::sqrt(low * high);
    (finds(middle) ? low : high) = middle;
  }
  return low;
}

// Rounds up to two digits: nobody plans 1,234 steps.
std::int64_t round_up(double steps) {
  const double unit = std::pow(10, std::max(std::floor(std::log10(steps)) - 1, 0.0));
  return std::llround(std::ceil(steps / unit - 1e-9) * unit);
}

}  // namespace

double cost_ns(const estimate::CaseNoise& noise, double launches, double steps) {
  return launches * (noise.overhead_ns.value_or(0) + steps * noise.step_ns);
}

LaunchDesigns::LaunchDesigns(const ComparisonSize& size, double change) {
  std::size_t launches = pairs_to_reject(size.tests, {.q = size.q, .design = Design::kSequential});
  while (launches <= kMaxLaunches) {
    largest_sd_.emplace_back(launches, largest_sd(size, launches, change));
    launches += std::max<std::size_t>(launches / 16, 1);
  }
}

std::optional<LaunchDesign> LaunchDesigns::cheapest(const estimate::CaseNoise& noise) const {
  if (!noise.step_sd || !noise.overhead_ns) return std::nullopt;
  std::optional<LaunchDesign> best;
  for (const auto& [launches, sd] : largest_sd_) {
    const double left = sd * sd - noise.launch_sd * noise.launch_sd;
    if (!(left > 0)) continue;
    const double steps = std::max(*noise.step_sd * *noise.step_sd / left, kMinSteps);
    if (steps > kMaxSteps) continue;
    const std::int64_t whole = round_up(steps);
    const double cost = cost_ns(noise, static_cast<double>(launches), static_cast<double>(whole));
    if (!best || cost < best->cost_ns) best = {launches, whole, cost};
  }
  return best;
}

}  // namespace stepbench::compare
