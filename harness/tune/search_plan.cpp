// SPDX-License-Identifier: Apache-2.0
#include "harness/tune/search_plan.h"

#include <algorithm>
#include <cmath>
#include <string_view>
#include <utility>

#include "harness/base/error.h"
#include "harness/campaign/run_request.h"
#include "harness/machine/environment.h"
#include "harness/plan/fixed_experiment.h"
#include "harness/plan/yaml_document.h"
#include "harness/tune/space.h"

namespace stepbench::tune {
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
  return {.file = request.file,
          .text = request.text,
          .results = request.results,
          .resume = request.resume,
          .filter = request.filter,
          .set = request.set,
          .sweep = sweep,
          .worker = request.worker,
          .lock = request.lock};
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
