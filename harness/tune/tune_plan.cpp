// SPDX-License-Identifier: Apache-2.0
#include "harness/tune/tune_plan.h"

#include <algorithm>
#include <cmath>
#include <set>
#include <string>
#include <string_view>
#include <utility>

#include "harness/base/error.h"
#include "harness/campaign/plan_forecast.h"
#include "harness/campaign/run_request.h"
#include "harness/campaign/verdict_options.h"
#include "harness/machine/environment.h"
#include "harness/plan/fixed_experiment.h"
#include "harness/plan/yaml_document.h"
#include "harness/run/run_header.h"
#include "harness/tune/confirm.h"
#include "harness/tune/space.h"

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

namespace {

// A different batch size, precision or accumulation computes different work.
bool changes_work(const std::string& option) {
  const std::string end = option.substr(option.find_last_of('.') + 1);
  return end == "batch_size" || end == "precision" || end == "accumulate";
}

campaign::RunRequest own_run(const TuneRequest& request, const std::string& own_text) {
  campaign::RunRequest own = search_run(request, {});
  own.text = own_text;
  own.filter.clear();
  return own;
}

plan::PlannedCase plan_own(const TuneRequest& request, const campaign::CampaignContext& context,
                           const std::string& own_text) {
  try {
    campaign::PlannedRun planned =
        campaign::plan_experiment(own_run(request, own_text), context, true);
    return std::move(planned.planned.plan.cases.front());
  } catch (const ConfigError& error) {
    throw ConfigError(
        plan::source_name(request.file),
        std::string("its own settings, without the sweep, give no case to compare with: ") +
            error.what());
  }
}

std::vector<std::string> whole_sweep(const TuneRequest& request, const ResolvedCase& own) {
  std::vector<std::string> sweep = request.sweep;
  const auto cores = static_cast<int>(std::ceil(machine::usable_cores("/")));
  for (std::string& each : sweeps_of(request.spaces, own, cores)) sweep.push_back(std::move(each));
  if (!request.arguments.empty()) sweep.push_back(sweep_of_arguments(request.arguments, own));
  return sweep;
}

}  // namespace

campaign::RunRequest search_run(const TuneRequest& request, const std::vector<std::string>& sweep) {
  campaign::RunRequest run = request;
  run.sweep = sweep;
  return run;
}

SearchPlan plan_search(const TuneRequest& request, const campaign::CampaignContext& context) {
  const std::string source = plan::source_name(request.file);
  SearchPlan search;
  search.own_text =
      plan::fixed_experiment(request.text ? *request.text : plan::read_config_text(request.file),
                             source, context.built_in.catalogue, {}, {});
  plan::PlannedCase own = plan_own(request, context, search.own_text);
  search.sweep = whole_sweep(request, own.resolved);
  search.space = campaign::plan_experiment(search_run(request, search.sweep), context, true);
  campaign::refuse_copies(search.plan(), {.ranks = "tune --set distributed.ranks="},
                          context.variables);
  plan::Plan& plan = search.space.planned.plan;
  const auto found = std::ranges::find_if(plan.cases, [&](const plan::PlannedCase& each) {
    return each.resolved.case_id == own.resolved.case_id;
  });
  search.own_is_swept = found != plan.cases.end();
  search.own = static_cast<std::size_t>(found - plan.cases.begin());
  if (!search.own_is_swept) plan.cases.push_back(std::move(own));
  // An option with a single value may still differ from the file's.
  plan.varying = plan::varying_of(plan.swept, plan.cases);
  if (plan.varying.empty()) {
    throw ConfigError(
        source,
        "has one point; a search needs a sweep, as `sweep: {matrix: {loader.num_workers: [0, 2, "
        "4]}}`, --sweep loader.num_workers=0,2,4 or --space loader");
  }
  search.changes_work = std::ranges::any_of(plan.varying, changes_work);
  return search;
}

}  // namespace stepbench::tune
