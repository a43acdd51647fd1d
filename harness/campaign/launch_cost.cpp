// SPDX-License-Identifier: Apache-2.0
#include "harness/campaign/launch_cost.h"

#include <algorithm>
#include <system_error>
#include <utility>
#include <vector>

#include "harness/base/error.h"
#include "harness/campaign/run_folder.h"
#include "harness/record/launch_rows.h"

namespace stepbench::campaign {
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

}  // namespace stepbench::campaign
