// SPDX-License-Identifier: Apache-2.0
#include "harness/compare/power.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <utility>
#include <vector>

#include "harness/compare/judge.h"
#include "harness/estimate/launch_estimate.h"
#include "harness/stats/order.h"

namespace stepbench::compare {
namespace {

constexpr double kPower = 0.8;

// Quantile of the standard normal distribution, to 1e-9.
double normal_quantile(double probability) {
  double low = -10;
  double high = 10;
  while (high - low > 1e-9) {
    const double middle = (low + high) / 2;
    const double below = 0.5 * std::erfc(-middle / std::numbers::sqrt2);
    (below < probability ? low : high) = middle;
  }
  return (low + high) / 2;
}

// Distance from a limit, in standard deviations of the difference of two launches, at which a
// Mann-Whitney test with so many launches per side at level `q` over `tests` has the desired power.
// The correction for few launches, which grows as the level shrinks, was found by simulation.
double distance(double launches, double q, double tests) {
  const double alpha = q / tests;
  const double price_of_ranks = std::sqrt(std::numbers::pi / 3);
  return price_of_ranks * (normal_quantile(1 - alpha / 2) + normal_quantile(kPower)) /
         std::sqrt(launches - 1.5 - std::log2(tests) / 3);
}

}  // namespace

std::optional<double> change_found(const ComparisonSize& size, double launch_sd) {
  const VerdictRule rule{.q = size.q, .design = Design::kSequential};
  if (size.tests == 0 || size.launches < pairs_to_reject(size.tests, rule)) return std::nullopt;
  const auto launches = static_cast<double>(size.launches);
  const double sd = std::numbers::sqrt2 * launch_sd;  // of the difference of two launches
  const double interval = sd * distance(launches, size.q, 1);
  const double test = sd * distance(launches, size.q, static_cast<double>(size.tests));
  return std::expm1(std::max(std::log1p(size.margin) + interval, test));
}

double change_found_by_pairs(std::size_t pairs, double launch_sd, double margin) {
  // Two bounds have to agree, which costs this many pairs (found by simulation).
  constexpr double kPrice = 1.5;
  const double sd = std::numbers::sqrt2 * launch_sd;
  return std::expm1(std::log1p(margin) +
                    sd * distance(static_cast<double>(pairs) - kPrice, VerdictRule().q, 1));
}

std::map<std::string, double> launch_spreads(const record::Results& results,
                                             const std::set<std::string>& cases) {
  constexpr std::size_t kMinLaunches = 3;
  std::map<std::pair<std::string, std::string>, std::vector<double>> steps;
  for (const record::Launch& launch : results.launches) {
    const record::LaunchRow& row = launch.row;
    const bool counts = row.key.pass == Pass::kTiming && row.key.rank == 0 && !row.smoke &&
                        row.outcome.kind == Outcome::Kind::kMeasured;
    if (!counts || !cases.contains(row.key.case_id)) continue;
    const auto estimate = estimate::estimate_of(launch);
    if (!estimate) continue;
    const double step = estimate::headline_ns(*estimate, estimate::clock_of(*estimate));
    if (step > 0) steps[{row.key.case_id, row.key.arm}].push_back(std::log(step));
  }
  std::map<std::string, double> spreads;
  for (const auto& [key, values] : steps) {
    if (values.size() >= kMinLaunches)
      spreads.emplace(key.first, stats::standard_deviation(values));
  }
  return spreads;
}

}  // namespace stepbench::compare
