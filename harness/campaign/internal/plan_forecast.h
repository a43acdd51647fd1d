// SPDX-License-Identifier: Apache-2.0
// Forecasts of a plan from earlier runs: launches, steps and time from the cost of earlier
// launches, and the smallest detectable change from the spread of equal launches.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "harness/estimate/noise.h"
#include "harness/plan/plan.h"
#include "harness/record/rows.h"

namespace stepbench::campaign {

// Cost of one launch, in seconds.
struct LaunchCost {
  double fixed_s = 0;  // its process, set-up and tear-down
  double step_s = 0;
  [[nodiscard]] double of(std::int64_t steps) const {
    return fixed_s + step_s * static_cast<double>(steps);
  }
};

// nullopt for a launch that measured nothing, recorded operations, or ran under another program.
[[nodiscard]] std::optional<LaunchCost> cost_of(const record::LaunchRow& row);

using CostsByCase = std::map<std::string, LaunchCost, std::less<>>;

// Known costs of some cases, and their source.
struct KnownCosts {
  CostsByCase by_case = {};
  std::int64_t runs = 0;  // number of earlier runs they come from
  bool probed = false;    // they come from smoke launches made for this purpose
};

// For each case, the mean of its launches in the newest run in `results_dir` that measured it.
// Reads no samples, stops when all are known or after reading 64 MiB, and skips unreadable files.
[[nodiscard]] KnownCosts earlier_costs(const std::filesystem::path& results_dir,
                                       std::set<std::string, std::less<>> case_ids);

// Amount of work in a plan.
struct TimeEstimate {
  std::int64_t launches = 0;  // for cases that can run here, including those that record operations
  std::int64_t steps = 0;     // in all launches; upper bound with active: auto
  double limit_s = 0;         // if every launch takes its whole limits.wall_s
  std::int64_t known_cases = 0;
  std::int64_t runs = 0;  // earlier runs that the costs come from
  bool probed = false;    // costs come from smoke launches made for this purpose
  double expected_s = 0;  // cases of unknown cost count as the mean; 0: none known
  // The same cases as a night (see measure_night()): planned pairs only, and with all fresh pairs.
  double night_s = 0;
  double night_most_s = 0;
};

// Default limit on the seconds of launches after which a night begins no more fresh pairs: allows
// all pairs for a small plan.
[[nodiscard]] double night_budget_s(double planned_s);

// Steps of one launch, warm-up included.
[[nodiscard]] std::int64_t steps_per_launch(const ResolvedCase& resolved);

// Launches of a case that can run, including those that record operations.
[[nodiscard]] std::int64_t launches_of(const ResolvedCase& resolved);

[[nodiscard]] TimeEstimate estimate_time(const plan::Plan& plan, const KnownCosts& costs);
// Uses the runs in `results_dir`.
[[nodiscard]] TimeEstimate estimate_time(const plan::Plan& plan,
                                         const std::filesystem::path& results_dir);

// "about 40 s by earlier results of 2 cases in 1 run"; empty if no case is known.
[[nodiscard]] std::string expected_text(const TimeEstimate& estimate);
// "as a night: about 3 min, 60 min at most"; empty if no case is known.
[[nodiscard]] std::string night_text(const TimeEstimate& estimate);

// Relative standard deviation of the step over the launches of a case: the median over the plan's
// cases with at least three launches in the newest runs in `results_dir`. nullopt: none. Skips
// unreadable runs.
[[nodiscard]] std::optional<double> earlier_spread(const plan::Plan& plan,
                                                   const std::filesystem::path& results_dir);

// For each such case: sources of noise and cost of launches, from the newest run that has both.
[[nodiscard]] std::vector<estimate::CaseNoise> earlier_noise(
    const plan::Plan& plan, const std::filesystem::path& results_dir);

}  // namespace stepbench::campaign
