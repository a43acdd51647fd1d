// SPDX-License-Identifier: Apache-2.0
// A search before anything of it is measured: by what it judges, what it may cost, its rungs, and
// what they take by earlier results. Main thread only; throw ConfigError.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "harness/campaign/context.h"
#include "harness/compare/tested_metrics.h"
#include "harness/tune/search.h"
#include "harness/tune/search_plan.h"
#include "harness/tune/tune_request.h"

namespace stepbench::tune {

struct PointCost {
  double launch_s = 0;      // in the mean over the points that are known
  std::int64_t points = 0;  // that are known
  std::int64_t runs = 0;    // earlier ones that tell
};

struct TunePlan {
  SearchPlan search = {};
  compare::TestedMetric objective = {};  // with its margin
  std::size_t can_run = 0;               // points that are not skipped
  std::size_t reserved = 0;              // launches of the confirmation
  std::vector<PlannedRung> rungs = {};
  std::optional<PointCost> cost = {};

  // Of the search, without those that are thrown away.
  [[nodiscard]] std::size_t launches() const;
  // Two that are thrown away, one of each point, and the confirmation: less of a budget is refused.
  [[nodiscard]] std::size_t fewest_launches() const { return kFewestWarm + can_run + reserved; }
};

[[nodiscard]] TunePlan plan_tune(const TuneRequest& request,
                                 const campaign::CampaignContext& context);

inline constexpr const char* kWorkRate = "samples_per_s";
// Where nobody names one the step, or the rate of work where batches differ.
[[nodiscard]] compare::TestedMetric tested_objective(const TuneRequest& request,
                                                     const SearchPlan& search);
[[nodiscard]] compare::TestedMetric tested_metric(const TuneRequest& request,
                                                  const SearchPlan& search,
                                                  const std::string& name);
// What the winner's confirmation takes at least, and keeps from the search.
[[nodiscard]] std::size_t reserved_launches(const TuneRequest& request);
// Throws where --launches are too few for `fewest`.
void check_launches(const TuneRequest& request, std::size_t fewest);
[[nodiscard]] std::size_t count_that_can_run(const plan::Plan& plan);

}  // namespace stepbench::tune
