// SPDX-License-Identifier: Apache-2.0
#include "harness/tune/tune_plan.h"

#include <algorithm>
#include <set>
#include <string>
#include <string_view>
#include <utility>

#include "harness/base/error.h"
#include "harness/campaign/launch_cost.h"
#include "harness/campaign/time_estimate.h"
#include "harness/campaign/verdict_options.h"
#include "harness/run/run_header.h"
#include "harness/tune/confirm.h"

namespace stepbench::tune {
namespace {

std::optional<PointCost> cost_of_points(const TuneRequest& request, const SearchPlan& search) {
  std::set<std::string, std::less<>> ids;
  for (const plan::PlannedCase& point : search.plan().cases) ids.insert(point.resolved.case_id);
  const campaign::KnownCosts known = campaign::earlier_costs(request.results, std::move(ids));
  PointCost mean{.runs = known.runs};
  for (const plan::PlannedCase& point : search.plan().cases) {
    const ResolvedCase& resolved = point.resolved;
    const auto found = known.by_case.find(resolved.case_id);
    if (found == known.by_case.end()) continue;
    mean.launch_s += found->second.of(campaign::steps_per_launch(resolved));
    ++mean.points;
  }
  if (mean.points == 0) return std::nullopt;
  mean.launch_s /= static_cast<double>(mean.points);
  return mean;
}

}  // namespace

std::size_t TunePlan::launches() const {
  std::size_t sum = 0;
  for (const PlannedRung& rung : rungs) sum += rung.points * rung.rounds;
  return sum;
}

TunePlan plan_tune(const TuneRequest& request, const campaign::CampaignContext& context) {
  TunePlan planned;
  planned.search = plan_search(request, context);
  planned.objective = tested_objective(request, planned.search);
  planned.can_run = count_that_can_run(planned.search.plan());
  planned.reserved = reserved_launches(request);
  check_launches(request, planned.fewest_launches());
  planned.rungs = planned_rungs(planned.can_run);
  planned.cost = cost_of_points(request, planned.search);
  return planned;
}

compare::TestedMetric tested_objective(const TuneRequest& request, const SearchPlan& search) {
  if (!request.objective.empty()) return tested_metric(request, search, request.objective);
  const bool batches = std::ranges::any_of(search.plan().varying, [](const std::string& option) {
    return option.ends_with("batch_size");
  });
  return tested_metric(request, search, batches ? kWorkRate : "step");
}

compare::TestedMetric tested_metric(const TuneRequest& request, const SearchPlan& search,
                                    const std::string& name) {
  std::vector<std::string> margins;
  if (request.margin) margins.push_back(name + "=" + std::to_string(*request.margin));
  const std::vector<Metric> columns =
      run::columns_of(search.plan(), search.space.planned.catalogue).columns;
  compare::TestedMetric objective;
  try {
    objective =
        campaign::tested_metrics({{name}, margins}, columns, &search.plan()).metrics.front();
  } catch (const ConfigError& error) {
    constexpr std::string_view kFlag = "--metric";
    if (error.where() != kFlag) throw;
    throw ConfigError("--objective", error.what() + kFlag.size() + 2);
  }
  objective.margin = objective.margin.value_or(compare::kDefaultMargin);
  return objective;
}

std::size_t reserved_launches(const TuneRequest& request) {
  return request.confirm ? 2 * kMinPairs : 0;
}

void check_launches(const TuneRequest& request, std::size_t fewest) {
  const std::optional<std::size_t>& launches = request.allowance.launches;
  if (!launches || *launches >= fewest) return;
  throw ConfigError(
      "--launches",
      "too few: " + std::to_string(kMinWarmLaunches) + " that are thrown away, one of each point" +
          (request.confirm ? " and " + std::to_string(kMinPairs) + " pairs to confirm the winner"
                           : "") +
          " take " + std::to_string(fewest) +
          "; give so many, or fewer points with "
          "--filter" +
          (request.confirm ? ", or --no-confirm" : ""));
}

std::size_t count_that_can_run(const plan::Plan& plan) {
  return static_cast<std::size_t>(
      std::ranges::count_if(plan.cases, [](const plan::PlannedCase& each) { return !each.skip; }));
}

}  // namespace stepbench::tune
