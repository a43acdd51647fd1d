// SPDX-License-Identifier: Apache-2.0
// Decides whether one rank of a job is slower than the others by more than chance explains.
#include "harness/analyze/ranks.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <string>

#include "harness/stats/order.h"

namespace stepbench::analyze {
namespace {

constexpr std::size_t kStepsForStraggler = 4;

// Neighbouring steps are correlated (garbage collection, other jobs), so the slowest rank of some
// steps need not be a slow rank. A straggler's mean lead over the slowest other rank of each step
// must be at least this many times its own standard deviation. For equal ranks whose work
// correlates by .8 from step to step, at most 1 in 100 leads this much (simulated, 2-8 ranks, 4-100
// steps).
double steady_lead(std::size_t steps) { return 21 / std::pow(double(steps) - 1, 0.7); }

std::vector<double> without(const std::vector<double>& values, std::size_t place) {
  std::vector<double> others = values;
  others.erase(others.begin() + std::ptrdiff_t(place));
  return others;
}

double most_of(const std::vector<double>& values) {
  return values.empty() ? 0 : *std::max_element(values.begin(), values.end());
}

bool lead_is_steady(const std::vector<std::vector<double>>& work_ns, std::size_t place) {
  if (work_ns.size() < kStepsForStraggler) return false;
  std::vector<double> leads_ns;
  for (const std::vector<double>& of_step : work_ns) {
    leads_ns.push_back(of_step[place] - most_of(without(of_step, place)));
  }
  const double mean_ns =
      std::accumulate(leads_ns.begin(), leads_ns.end(), 0.0) / double(leads_ns.size());
  return mean_ns >= steady_lead(leads_ns.size()) * stats::standard_deviation(leads_ns);
}

}  // namespace

std::optional<Straggler> find_straggler(const RankReport& report,
                                        const std::vector<std::vector<double>>& work_ns) {
  std::vector<double> works;
  for (const RankRow& row : report.rows) works.push_back(row.work_ns);
  const auto slowest =
      static_cast<std::size_t>(std::max_element(works.begin(), works.end()) - works.begin());
  const RankRow& row = report.rows[slowest];
  const std::vector<double> others = without(works, slowest);
  Straggler found{.rank = row.rank,
                  .gain_ns = row.work_ns - most_of(others),
                  .excess_ns = row.work_ns - stats::median(others)};
  found.share = report.step_ns > 0 ? found.gain_ns / report.step_ns : 0;
  if (found.share < kStragglerShare || 2 * row.slowest_in <= report.steps) return std::nullopt;
  if (report.unmatched_ns >= found.gain_ns) return std::nullopt;
  if (!lead_is_steady(work_ns, slowest)) return std::nullopt;
  for (std::size_t part = 0; part < step_parts().size(); ++part) {
    if (step_parts()[part].name == "communication") continue;
    std::vector<double> times;
    for (const RankRow& each : report.rows) times.push_back(each.parts_ns[part]);
    const double more_ns = times[slowest] - stats::median(without(times, slowest));
    if (more_ns > found.part_ns) {
      found.part = std::string(step_parts()[part].name);
      found.part_ns = more_ns;
    }
  }
  return found;
}

}  // namespace stepbench::analyze
