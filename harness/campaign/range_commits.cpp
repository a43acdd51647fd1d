// SPDX-License-Identifier: Apache-2.0
#include "harness/campaign/nightly.h"

#include <algorithm>
#include <chrono>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "harness/base/error.h"
#include "harness/base/format.h"
#include "harness/json/json_text.h"
#include "harness/nights/merged_cases.h"
#include "harness/nights/night_store.h"
#include "harness/os/process.h"
#include "harness/plan/plan.h"

namespace stepbench::campaign {
namespace {

constexpr char kBetweenFields = '\x1f';
constexpr std::size_t kListedCommits = 20;

// Rejects anything that git could parse as an option.
bool is_commit(std::string_view text) {
  return !text.empty() && text.find_first_not_of("0123456789abcdef") == std::string_view::npos;
}

std::vector<std::string> fields_of(std::string_view line) {
  std::vector<std::string> fields;
  for (;;) {
    const std::size_t end = line.find(kBetweenFields);
    fields.emplace_back(line.substr(0, end));
    if (end == std::string_view::npos) return fields;
    line.remove_prefix(end + 1);
  }
}

void list_of(nights::Alert& alert, const nights::TrackedRun& good, const nights::TrackedRun& bad) {
  using namespace std::chrono_literals;
  if (good.git_sha == bad.git_sha || !is_commit(good.git_sha) || !is_commit(bad.git_sha)) return;
  if (bad.asked.folder.empty()) return;
  const os::CommandResult git = os::run_git(
      bad.asked.folder, {"log", "--format=%H%x1f%an%x1f%s", good.git_sha + ".." + bad.git_sha});
  if (!git.started || git.exit_status != 0) return;
  for (std::string_view rest = git.out; !rest.empty();) {
    const std::size_t end = std::min(rest.find('\n'), rest.size());
    const std::vector<std::string> fields = fields_of(rest.substr(0, end));
    rest.remove_prefix(std::min(end + 1, rest.size()));
    if (fields.size() != 3) continue;
    ++alert.commits_in_range;
    if (alert.commits.size() == kListedCommits) continue;
    alert.commits.push_back({fields[0], fields[1], fields[2], nights::commit_url(bad, fields[0])});
  }
}

}  // namespace

void list_commits(nights::AlertLog& log, std::span<const nights::TrackedRun> runs,
                  const std::function<bool(const nights::Alert&)>& of) {
  for (nights::Alert& alert : log.alerts) {
    if (of ? !of(alert) : alert.state != nights::AlertState::kOpen) continue;
    const nights::TrackedRun* good = nights::find_run(runs, alert.last_good);
    const nights::TrackedRun* bad = nights::find_run(runs, alert.first_bad);
    if (good != nullptr && bad != nullptr) list_of(alert, *good, *bad);
  }
}

namespace {

// As a point of a sweep, because there rules amend options that they otherwise reject.
std::string experiment_of(const nights::TrackedSeries& series) {
  json::JsonText point;
  point.open_object();
  for (const auto& [name, value] : series.options) point.value(name, value);
  point.close_object();
  json::JsonText workload;
  workload.open_object().text("workload", series.workload).close_object();
  const std::string head = workload.line();
  return formatted("{}, \"sweep\": {{\"include\": [{}]}}}}", head.substr(0, head.rfind('}')),
                   point.line());
}

std::optional<ResolvedCase> planned_case(const nights::TrackedSeries& series,
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

std::vector<nights::MergedCase> split_cases(const nights::History& history,
                                            const Catalogue& catalogue,
                                            std::span<const WorkloadRule> rules) {
  std::vector<nights::MergedCase> found;
  std::set<std::string> seen;
  for (const nights::SeriesHistory& one : history.series) {
    const nights::TrackedSeries& series = one.series;
    if (!seen.insert(series.case_id).second) continue;
    const auto as_measured = planned_case(series, catalogue, {});
    if (!as_measured || as_measured->case_id != series.case_id) continue;
    const auto now = planned_case(series, catalogue, rules);
    if (!now || now->case_id == series.case_id) continue;
    std::vector<std::string> swept;
    for (const auto& [name, value] : series.options) swept.push_back(name);
    found.push_back({.from = series.case_id,
                     .into = now->case_id,
                     .options = nights::naming_options(now->options, swept, catalogue)});
  }
  return found;
}

}  // namespace stepbench::campaign
