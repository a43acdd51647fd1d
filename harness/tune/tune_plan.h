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
#include "harness/tune/halving.h"
#include "harness/tune/search_plan.h"
#include "harness/tune/tune_request.h"

namespace stepbench::tune {

inline constexpr double kSearchShare = 0.7;  // of the allowance; the rest confirms

// Of one launch, in the mean over the points that are known.
struct PointCost {
  double brief_s = 0;
  double full_s = 0;
  std::int64_t points = 0;  // that are known
  std::int64_t runs = 0;    // earlier ones that tell
};

struct TunePlan {
  SearchPlan search = {};
  compare::TestedMetric objective = {};  // with its margin
  Allowance allowance = {};              // of the search alone
  std::size_t can_run = 0;               // points that are not skipped
  std::vector<PlannedRung> rungs = {};
  std::optional<PointCost> cost = {};

  [[nodiscard]] std::size_t launches() const;
  // Of all rungs, or of the first one.
  [[nodiscard]] std::optional<double> expected_s() const;
  [[nodiscard]] std::optional<double> first_rung_s() const;
};

[[nodiscard]] TunePlan plan_tune(const TuneRequest& request,
                                 const campaign::CampaignContext& context);

[[nodiscard]] compare::TestedMetric tested_objective(const TuneRequest& request,
                                                     const SearchPlan& search);
// The share of the search where its winner is confirmed, else all.
[[nodiscard]] double search_share(const TuneRequest& request);
// Throws where it has no launch for each of the points.
[[nodiscard]] Allowance allowance_of_search(const TuneRequest& request, std::size_t points);

}  // namespace stepbench::tune
