// SPDX-License-Identifier: Apache-2.0
#include "harness/campaign/internal/plan_forecast.h"

#include <algorithm>
#include <map>
#include <set>
#include <system_error>
#include <utility>
#include <vector>

#include "harness/base/error.h"
#include "harness/base/format.h"
#include "harness/campaign/internal/planning.h"
#include "harness/campaign/run_folder.h"
#include "harness/nights/night.h"
#include "harness/record/result_file.h"
#include "harness/text/numbers.h"
#include "harness/text/words.h"
#include "harness/verdict/detectable_change.h"

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
  return formatted("as a night: about {}, {} at most", text::rough_duration(estimate.night_s),
                   text::rough_duration(estimate.night_most_s));
}

namespace {

namespace fs = std::filesystem;

constexpr std::uintmax_t kMaxBytesRead = std::uintmax_t{64} << 20;
constexpr double kSecondsPerNs = 1e-9;

std::vector<fs::path> result_files_in(const fs::path& folder) {
  std::vector<fs::path> files;
  std::error_code error;
  for (fs::directory_iterator at(folder, error), end; !error && at != end; at.increment(error)) {
    if (record::is_result_file(at->path())) files.push_back(at->path());
  }
  return files;
}

struct Sum {
  LaunchCost cost;
  double launches = 0;
};

// Number of steps in the launch, from its options if the worker does not report it.
double steps_of(const record::LaunchRow& row) {
  if (const auto steps = number_of(row.report.schedule, "steps")) return *steps;
  const auto option = [&](const char* name) { return number_of(row.options, name).value_or(0); };
  return option("schedule.skip_first") +
         option("schedule.repeat") *
             (option("schedule.wait") + option("schedule.warmup") + option("schedule.active"));
}

// Mean time of a measured step; nullopt if only the whole launch was timed.
std::optional<double> window_step_s(const record::LaunchRow& row) {
  const auto window_ns = number_of(row.report.schedule, "window_drained_ns");
  const double measured = number_of(row.report.schedule, "cycles").value_or(0) *
                          number_of(row.report.schedule, "active").value_or(0);
  if (!window_ns || measured <= 0) return std::nullopt;
  return *window_ns * kSecondsPerNs / measured;
}

}  // namespace

std::optional<LaunchCost> cost_of(const record::LaunchRow& row) {
  const bool timed = row.outcome.kind == Outcome::Kind::kMeasured &&
                     row.key.pass == Pass::kTiming && row.key.rank == 0;
  const double steps = steps_of(row);
  if (!timed || steps <= 0) return std::nullopt;
  const double wall_s = static_cast<double>(row.wall_ns) * kSecondsPerNs;
  const auto set_up = row.report.metrics.find("set_up_ns");
  const double set_up_s =
      set_up == row.report.metrics.end() ? 0 : set_up->second.value_or(0) * kSecondsPerNs;
  const double step_s = window_step_s(row).value_or(std::max(wall_s - set_up_s, 0.0) / steps);
  return LaunchCost{std::max(wall_s - step_s * steps, 0.0), step_s};
}

KnownCosts earlier_costs(const fs::path& results_dir, std::set<std::string, std::less<>> case_ids) {
  KnownCosts known;
  std::uintmax_t bytes = 0;
  for (const fs::path& folder : folders_newest_first(results_dir)) {
    if (case_ids.empty() || bytes > kMaxBytesRead) break;
    std::map<std::string, Sum> sums;
    for (const fs::path& file : result_files_in(folder)) {
      std::error_code ignored;
      if (bytes + fs::file_size(file, ignored) > kMaxBytesRead) continue;
      try {
        bytes += record::read_launch_rows(
            file, [&](std::string_view id) { return case_ids.contains(id); },
            [&](const record::LaunchRow& row) {
              const auto cost = row.smoke ? std::nullopt : cost_of(row);
              if (!cost) return;
              Sum& sum = sums[row.key.case_id];
              sum.cost.fixed_s += cost->fixed_s;
              sum.cost.step_s += cost->step_s;
              sum.launches += 1;
            });
      } catch (const Error&) {
        continue;  // an estimate does not need a complete history
      }
    }
    if (!sums.empty()) ++known.runs;
    for (const auto& [id, sum] : sums) {
      known.by_case[id] = {sum.cost.fixed_s / sum.launches, sum.cost.step_s / sum.launches};
      case_ids.erase(id);
    }
  }
  return known;
}

namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMaxRuns = 5;
constexpr std::uintmax_t kMaxBytes = std::uintmax_t{4} << 20;  // keeps `plan` quick

std::uintmax_t bytes_of(const fs::path& folder) {
  std::uintmax_t bytes = 0;
  std::error_code error;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder, error)) {
    if (entry.is_regular_file(error)) bytes += entry.file_size(error);
  }
  return bytes;
}

// Visits the newest runs that can be read quickly.
template <typename Take>
void each_earlier_run(const fs::path& results_dir, const Take& take) {
  std::vector<fs::path> runs = folders_newest_first(results_dir);
  if (runs.size() > kMaxRuns) runs.resize(kMaxRuns);
  std::uintmax_t bytes = 0;
  for (const fs::path& run : runs) {
    bytes += bytes_of(run);
    if (bytes > kMaxBytes) return;
    try {
      take(record::read_results(run));
    } catch (const Error&) {
      continue;  // an incomplete history suffices
    }
  }
}

std::set<std::string> ids_of(const plan::Plan& plan) {
  std::set<std::string> cases;
  for (const plan::PlannedCase& planned : plan.cases) cases.insert(planned.resolved.case_id);
  return cases;
}

}  // namespace

std::optional<double> earlier_spread(const plan::Plan& plan, const fs::path& results_dir) {
  const std::set<std::string> cases = ids_of(plan);
  std::map<std::string, double> spreads;
  each_earlier_run(results_dir, [&](const record::Results& results) {
    spreads.merge(verdict::launch_spreads(results, cases));
  });
  if (spreads.empty()) return std::nullopt;
  std::vector<double> values;
  for (const auto& [id, spread] : spreads) values.push_back(spread);
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

std::vector<estimate::CaseNoise> earlier_noise(const plan::Plan& plan,
                                               const fs::path& results_dir) {
  const std::set<std::string> cases = ids_of(plan);
  std::map<std::string, estimate::CaseNoise> found;
  each_earlier_run(results_dir, [&](const record::Results& results) {
    for (const estimate::CaseRow& row : estimate::case_rows(results)) {
      if (row.pass != Pass::kTiming || !cases.contains(row.case_id)) continue;
      const auto noise = estimate::noise_of(row);
      if (noise && noise->step_sd && noise->overhead_ns) found.try_emplace(row.case_id, *noise);
    }
  });
  std::vector<estimate::CaseNoise> all;
  for (const auto& [id, noise] : found) all.push_back(noise);
  return all;
}

}  // namespace stepbench::campaign
