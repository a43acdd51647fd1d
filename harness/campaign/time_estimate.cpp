// SPDX-License-Identifier: Apache-2.0
#include "harness/campaign/time_estimate.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <vector>

#include "harness/base/error.h"
#include "harness/estimate/launch_estimate.h"
#include "harness/record/reader.h"

namespace stepbench {
namespace {

constexpr std::size_t kMaxRunsRead = 5;
constexpr std::uintmax_t kMaxBytesRead = std::uintmax_t{8} << 20;  // keeps `plan` quick

namespace fs = std::filesystem;

// Cost of a launch apart from its steps, and of one step.
struct Cost {
  double overhead_s = 0;
  double step_s = 0;
};

std::uintmax_t bytes_in(const fs::path& folder) {
  std::uintmax_t bytes = 0;
  std::error_code error;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder, error)) {
    if (entry.is_regular_file(error)) bytes += entry.file_size(error);
  }
  return bytes;
}

std::vector<fs::path> newest_runs(const fs::path& results_dir) {
  std::vector<fs::path> runs;
  std::error_code error;
  for (const fs::directory_entry& entry : fs::directory_iterator(results_dir, error)) {
    if (entry.is_directory(error)) runs.push_back(entry.path());
  }
  std::sort(runs.rbegin(), runs.rend());  // names begin with the date
  if (runs.size() > kMaxRunsRead) runs.resize(kMaxRunsRead);
  return runs;
}

void add_costs(const Results& results, std::map<std::string, Cost>& costs) {
  for (const Launch& launch : results.launches) {
    const auto estimate = estimate_of(launch);
    if (launch.row.outcome.kind != Outcome::Kind::kMeasured || launch.row.smoke || !estimate)
      continue;
    const double step_s = step_ns(*estimate, clock_of(*estimate)) * 1e-9;
    const double wall_s = static_cast<double>(launch.row.wall_ns) * 1e-9;
    const double stepped_s = step_s * static_cast<double>(estimate->steps);
    costs.emplace(launch.row.key.case_id, Cost{std::max(0.0, wall_s - stepped_s), step_s});
  }
}

std::map<std::string, Cost> earlier_costs(const fs::path& results_dir) {
  std::map<std::string, Cost> costs;
  std::uintmax_t bytes = 0;
  for (const fs::path& run : newest_runs(results_dir)) {
    bytes += bytes_in(run);
    if (bytes > kMaxBytesRead) break;
    try {
      add_costs(read_results(run), costs);
    } catch (const Error&) {
      continue;  // an estimate needs no complete history
    }
  }
  return costs;
}

}  // namespace

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

TimeEstimate estimate_time(const Plan& plan, const std::filesystem::path& results_dir) {
  const std::map<std::string, Cost> costs = earlier_costs(results_dir);
  TimeEstimate estimate;
  double known_s = 0;
  std::int64_t runnable = 0;
  for (const PlannedCase& planned : plan.cases) {
    if (planned.skip) continue;
    ++runnable;
    const ResolvedCase& resolved = planned.resolved;
    const std::int64_t launches = resolved.integer("launches");
    const std::int64_t steps = steps_per_launch(resolved);
    estimate.launches += launches;
    estimate.steps += launches * steps;
    estimate.limit_s += static_cast<double>(launches) * resolved.number("limits.wall_s");
    const auto cost = costs.find(resolved.case_id);
    if (cost == costs.end()) continue;
    ++estimate.known_cases;
    known_s += static_cast<double>(launches) *
               (cost->second.overhead_s + cost->second.step_s * static_cast<double>(steps));
  }
  if (estimate.known_cases > 0) {
    estimate.expected_s =
        known_s * static_cast<double>(runnable) / static_cast<double>(estimate.known_cases);
  }
  return estimate;
}

}  // namespace stepbench
