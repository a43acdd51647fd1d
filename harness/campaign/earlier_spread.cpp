// SPDX-License-Identifier: Apache-2.0
#include "harness/campaign/earlier_spread.h"

#include <algorithm>
#include <map>
#include <set>
#include <vector>

#include "harness/base/error.h"
#include "harness/campaign/run_folder.h"
#include "harness/compare/power.h"
#include "harness/record/reader.h"

namespace stepbench::campaign {
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
    spreads.merge(compare::launch_spreads(results, cases));
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
