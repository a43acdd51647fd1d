// SPDX-License-Identifier: Apache-2.0
#include "harness/tune/tune_plan.h"

#include <algorithm>
#include <cmath>
#include <set>
#include <string>
#include <string_view>
#include <utility>

#include "harness/base/error.h"
#include "harness/campaign/launch_cost.h"
#include "harness/campaign/time_estimate.h"
#include "harness/campaign/verdict_options.h"
#include "harness/run/run_header.h"
#include "harness/text/words.h"

namespace stepbench::tune {
namespace {

std::int64_t steps_of_brief(const ResolvedCase& resolved, const OptionValues& brief) {
  ResolvedCase shorter = resolved;
  for (const auto& [name, value] : brief) shorter.options.insert_or_assign(name, value);
  return campaign::steps_per_launch(shorter);
}

std::optional<PointCost> cost_of_points(const TuneRequest& request, const SearchPlan& search) {
  std::set<std::string, std::less<>> ids;
  for (const plan::PlannedCase& point : search.plan().cases) ids.insert(point.resolved.case_id);
  const campaign::KnownCosts known = campaign::earlier_costs(request.results, std::move(ids));
  PointCost mean{.runs = known.runs};
  for (std::size_t i = 0; i < search.plan().cases.size(); ++i) {
    const ResolvedCase& resolved = search.plan().cases[i].resolved;
    const auto found = known.by_case.find(resolved.case_id);
    if (found == known.by_case.end()) continue;
    const OptionValues none;
    const OptionValues& brief = i < search.brief.size() ? search.brief[i] : none;
    mean.full_s += found->second.of(campaign::steps_per_launch(resolved));
    mean.brief_s += found->second.of(steps_of_brief(resolved, brief));
    ++mean.points;
  }
  if (mean.points == 0) return std::nullopt;
  mean.full_s /= static_cast<double>(mean.points);
  mean.brief_s /= static_cast<double>(mean.points);
  return mean;
}

double seconds_of(const PlannedRung& rung, const PointCost& cost) {
  return static_cast<double>(rung.points * rung.rounds) * (rung.brief ? cost.brief_s : cost.full_s);
}

}  // namespace

std::size_t TunePlan::launches() const {
  std::size_t sum = 0;
  for (const PlannedRung& rung : rungs) sum += rung.points * rung.rounds;
  return sum;
}

std::optional<double> TunePlan::expected_s() const {
  if (!cost) return std::nullopt;
  double sum = 0;
  for (const PlannedRung& rung : rungs) sum += seconds_of(rung, *cost);
  return sum;
}

// A search stops in time after its first round, and not before.
std::optional<double> TunePlan::first_rung_s() const {
  if (!cost || rungs.empty()) return std::nullopt;
  return seconds_of(rungs.front(), *cost) / static_cast<double>(rungs.front().rounds);
}

TunePlan plan_tune(const TuneRequest& request, const campaign::CampaignContext& context) {
  TunePlan planned;
  planned.search = plan_search(request, context);
  const std::vector<plan::PlannedCase>& points = planned.search.plan().cases;
  planned.objective = tested_objective(request, planned.search);
  planned.allowance = allowance_of_search(request, points.size());
  planned.can_run = static_cast<std::size_t>(std::ranges::count_if(
      points, [](const plan::PlannedCase& point) { return !point.skip.has_value(); }));
  planned.rungs = planned_rungs(points.size(), planned.can_run);
  planned.cost = cost_of_points(request, planned.search);
  return planned;
}

compare::TestedMetric tested_objective(const TuneRequest& request, const SearchPlan& search) {
  std::string name = request.objective;
  if (name.empty()) {
    const bool batches = std::ranges::any_of(search.plan().varying, [](const std::string& option) {
      return option.ends_with("batch_size");
    });
    name = batches ? "samples_per_s" : "step";
  }
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

double search_share(const TuneRequest& request) { return request.confirm ? kSearchShare : 1; }

Allowance allowance_of_search(const TuneRequest& request, std::size_t points) {
  Allowance allowance = request.allowance;
  const double share = search_share(request);
  if (allowance.seconds) *allowance.seconds *= share;
  if (!allowance.launches) return allowance;
  allowance.launches = static_cast<std::size_t>(static_cast<double>(*allowance.launches) * share);
  if (*allowance.launches >= points) return allowance;
  throw ConfigError("--launches", "each of the " +
                                      text::counted(static_cast<std::int64_t>(points), "point") +
                                      " needs one; at least " +
                                      std::to_string(static_cast<std::int64_t>(
                                          std::ceil(static_cast<double>(points) / share))));
}

}  // namespace stepbench::tune
