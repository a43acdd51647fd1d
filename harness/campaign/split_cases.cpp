// SPDX-License-Identifier: Apache-2.0
#include "harness/campaign/split_cases.h"

#include <optional>
#include <set>
#include <string>
#include <utility>

#include "harness/base/error.h"
#include "harness/json/json_text.h"
#include "harness/plan/plan.h"
#include "harness/track/import.h"

namespace stepbench::campaign {
namespace {

// As a point of a sweep, because there rules amend options that they otherwise reject.
std::string experiment_of(const track::TrackedSeries& series) {
  json::JsonText point;
  point.open_object();
  for (const auto& [name, value] : series.options) point.value(name, value);
  point.close_object();
  json::JsonText workload;
  workload.open_object().text("workload", series.workload).close_object();
  const std::string head = workload.line();
  return head.substr(0, head.rfind('}')) + ", \"sweep\": {\"include\": [" + point.line() + "]}}";
}

std::optional<ResolvedCase> planned_case(const track::TrackedSeries& series,
                                         const Catalogue& catalogue,
                                         std::span<const WorkloadRule> rules) {
  const bool cuda = text_of(series.options, "device").starts_with("cuda");
  try {
    plan::Plan plan = plan::make_plan(
        {.file = "history", .text = experiment_of(series), .cuda_available = cuda, .cores = 1},
        catalogue, rules);
    if (plan.cases.size() != 1) return std::nullopt;
    return std::move(plan.cases.front().resolved);
  } catch (const ConfigError&) {
    return std::nullopt;
  }
}

}  // namespace

std::vector<track::MergedCase> split_cases(const track::History& history,
                                           const Catalogue& catalogue,
                                           std::span<const WorkloadRule> rules) {
  std::vector<track::MergedCase> found;
  std::set<std::string> seen;
  for (const track::SeriesHistory& one : history.series) {
    const track::TrackedSeries& series = one.series;
    if (!seen.insert(series.case_id).second) continue;
    const auto as_measured = planned_case(series, catalogue, {});
    if (!as_measured || as_measured->case_id != series.case_id) continue;
    const auto now = planned_case(series, catalogue, rules);
    if (!now || now->case_id == series.case_id) continue;
    std::vector<std::string> swept;
    for (const auto& [name, value] : series.options) swept.push_back(name);
    found.push_back({.from = series.case_id,
                     .into = now->case_id,
                     .options = track::naming_options(now->options, swept, catalogue)});
  }
  return found;
}

}  // namespace stepbench::campaign
