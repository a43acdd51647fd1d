// SPDX-License-Identifier: Apache-2.0
#include "harness/bisect/bisect_plan.h"

#include <algorithm>
#include <bit>
#include <filesystem>
#include <string>
#include <vector>

#include "harness/bisect/internal/measure_step.h"
#include "harness/bisect/internal/search.h"
#include "harness/bisect/repository.h"
#include "harness/campaign/plan_forecast.h"
#include "harness/campaign/run_experiment.h"

namespace stepbench::bisect {
namespace {

constexpr std::size_t kCopyBuilds = 4;  // culprit and parent, twice
// Typical launches if the step is a few times the spread of launches.
constexpr std::size_t kUsualOfEnds = 16;
constexpr std::size_t kUsualOfCommit = 12;

// nullopt: never measured here, or only with a worker that is not built yet.
std::optional<double> launch_seconds(const BisectRequest& request,
                                     const campaign::CampaignContext& context) {
  campaign::RunRequest run = request;
  run.worker.clear();
  std::erase_if(run.set, [](const std::string& set) { return set.find('{') != std::string::npos; });
  try {
    const campaign::TimeEstimate estimate = campaign::estimate_time(
        campaign::plan_experiment(run, context, false).planned.plan, request.results);
    if (estimate.launches == 0 || !(estimate.expected_s > 0)) return std::nullopt;
    return estimate.expected_s / static_cast<double>(estimate.launches);
  } catch (const ConfigError&) {
    return std::nullopt;
  }
}

}  // namespace

BisectPlan plan_bisect(const BisectRequest& request, const campaign::CampaignContext& context) {
  const bool versions = !request.versions.empty();
  const std::vector<Commit> commits =
      versions
          ? versions_between(request.versions, request.good, request.bad)
          : Repository(std::filesystem::current_path()).commits_between(request.good, request.bad);
  BisectPlan plan{.commits = commits.size() - 1};
  const auto halvings = static_cast<std::size_t>(std::bit_width(plan.commits - 1));
  const std::size_t most = Search::most_builds(plan.commits);
  const auto pairs_of = [&](const SearchStep& step) {
    return Search::most_pairs(step, plan.commits);
  };
  if (!request.build.empty()) {
    plan.builds = {2 + halvings + (versions ? 0 : kCopyBuilds),
                   std::min(most, versions ? plan.commits + 1 : most)};
  }
  if (counts_only(request)) {
    plan.launches = {2 * kCountedOfEnds + halvings, 2 * kCountedOfEnds + plan.commits - 1};
  } else {
    const std::size_t copies = 2 * 2 * pairs_of({.against_good_end = false});
    plan.launches = {kUsualOfEnds + kUsualOfCommit * halvings + copies,
                     2 * pairs_of({.place = plan.commits}) +
                         2 * pairs_of({.place = plan.commits + 1}) * most + copies};
  }
  plan.launch_s = launch_seconds(request, context);
  return plan;
}

}  // namespace stepbench::bisect
