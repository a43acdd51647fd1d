// SPDX-License-Identifier: Apache-2.0
// Plan of a search before anything is measured: objective, allowance, rungs, and their estimated
// cost from earlier results. Main thread only; throw ConfigError.
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
  double launch_s = 0;      // mean over the points with known cost
  std::int64_t points = 0;  // points with known cost
  std::int64_t runs = 0;    // number of earlier runs used
};

struct TunePlan {
  SearchPlan search = {};
  compare::TestedMetric objective = {};  // including its margin
  std::size_t can_run = 0;               // points that are not skipped
  std::size_t reserved = 0;              // for the confirmation
  std::vector<PlannedRung> rungs = {};
  std::optional<PointCost> cost = {};

  // Launches of the search, without warm-up launches.
  [[nodiscard]] std::size_t launches() const;
  // Two warm-up launches, one of each point, and the confirmation; a smaller budget is rejected.
  [[nodiscard]] std::size_t fewest_launches() const {
    return kMinWarmLaunches + can_run + reserved;
  }
};

[[nodiscard]] TunePlan plan_tune(const TuneRequest& request,
                                 const campaign::CampaignContext& context);

inline constexpr const char* kWorkRate = "samples_per_s";
// Default objective: the step, or the rate of work if batch sizes differ.
[[nodiscard]] compare::TestedMetric tested_objective(const TuneRequest& request,
                                                     const SearchPlan& search);
[[nodiscard]] compare::TestedMetric tested_metric(const TuneRequest& request,
                                                  const SearchPlan& search,
                                                  const std::string& name);
// Minimum number of launches of the winner's confirmation, reserved from the search.
[[nodiscard]] std::size_t reserved_launches(const TuneRequest& request);
// Throws if --launches is less than `fewest`.
void check_launches(const TuneRequest& request, std::size_t fewest);
[[nodiscard]] std::size_t count_that_can_run(const plan::Plan& plan);

}  // namespace stepbench::tune
