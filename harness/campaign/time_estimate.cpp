// SPDX-License-Identifier: Apache-2.0
#include "harness/campaign/time_estimate.h"

#include <algorithm>
#include <set>
#include <utility>

#include "harness/campaign/planning.h"
#include "harness/campaign/run_folder.h"
#include "harness/nights/pairs.h"
#include "harness/text/numbers.h"
#include "harness/text/words.h"

namespace stepbench::campaign {

std::int64_t steps_per_launch(const ResolvedCase& resolved) {
  const bool automatic = resolved.has("schedule.max_active");
  const std::int64_t active =
      resolved.integer(automatic ? "schedule.max_active" : "schedule.active");
  const std::int64_t cycle =
      resolved.integer("schedule.wait") + resolved.integer("schedule.warmup") + active;
  const std::int64_t waits_left_out =
      resolved.integer("schedule.skip_first_wait") == 0 ? 0 : resolved.integer("schedule.wait");
  return resolved.integer("schedule.skip_first") + cycle * resolved.integer("schedule.repeat") -
         waits_left_out;
}

std::int64_t launches_of(const ResolvedCase& resolved) {
  const auto profile = profile_of(resolved);
  return resolved.integer("launches") + (profile ? profile->launches : 0);
}

TimeEstimate estimate_time(const plan::Plan& plan, const KnownCosts& costs) {
  TimeEstimate estimate{.runs = costs.runs, .probed = costs.probed};
  double known_s = 0;
  double night_s = 0;
  double fresh_s = 0;
  double longest_s = 0;  // longest round of fresh pairs, which the budget does not interrupt
  std::int64_t runnable = 0;
  for (const plan::PlannedCase& planned : plan.cases) {
    if (planned.skip) continue;
    ++runnable;
    const ResolvedCase& resolved = planned.resolved;
    const std::int64_t launches = launches_of(resolved);
    const std::int64_t steps = steps_per_launch(resolved);
    estimate.launches += launches;
    estimate.steps += launches * steps;
    estimate.limit_s += static_cast<double>(launches) * resolved.number("limits.wall_s");
    const auto cost = costs.by_case.find(resolved.case_id);
    if (cost == costs.by_case.end()) continue;
    ++estimate.known_cases;
    const double launch_s = cost->second.of(steps);
    known_s += static_cast<double>(launches) * launch_s;
    const int pairs = night_pairs(resolved);
    night_s += (pairs > 0 ? 2 * pairs : static_cast<double>(launches)) * launch_s;
    if (pairs == 0) continue;
    fresh_s += 2 * static_cast<double>(nights::kMaxPairs) * launch_s;
    longest_s = std::max(longest_s, 2 * static_cast<double>(nights::kMorePairs) * launch_s);
  }
  if (estimate.known_cases == 0) return estimate;
  const double all = static_cast<double>(runnable) / static_cast<double>(estimate.known_cases);
  estimate.expected_s = all * known_s;
  estimate.night_s = all * night_s;
  const double left_s = std::max(0.0, night_budget_s(estimate.night_s) - estimate.night_s);
  estimate.night_most_s = estimate.night_s + std::min(all * fresh_s, left_s + longest_s);
  return estimate;
}

double night_budget_s(double planned_s) {
  constexpr double kPlannedTimes = 3;
  constexpr double kMinBudgetS = 3600;
  return std::max(kMinBudgetS, kPlannedTimes * planned_s);
}

TimeEstimate estimate_time(const plan::Plan& plan, const std::filesystem::path& results_dir) {
  // Collecting the ids of a large plan takes a while.
  if (folders_newest_first(results_dir).empty()) return estimate_time(plan, KnownCosts{});
  std::set<std::string, std::less<>> ids;
  for (const plan::PlannedCase& planned : plan.cases) {
    if (!planned.skip) ids.insert(planned.resolved.case_id);
  }
  return estimate_time(plan, earlier_costs(results_dir, std::move(ids)));
}

std::string expected_text(const TimeEstimate& estimate) {
  if (estimate.known_cases == 0) return {};
  std::string text = "about " + text::rough_duration(estimate.expected_s) + " by ";
  text += estimate.probed ? "the probe of " : "earlier results of ";
  text += text::counted(estimate.known_cases, "case");
  return estimate.probed ? text : text + " in " + text::counted(estimate.runs, "run");
}

std::string night_text(const TimeEstimate& estimate) {
  if (estimate.known_cases == 0) return {};
  return "as a night: about " + text::rough_duration(estimate.night_s) + ", " +
         text::rough_duration(estimate.night_most_s) + " at most";
}

}  // namespace stepbench::campaign
