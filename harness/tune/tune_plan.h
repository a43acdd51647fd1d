// SPDX-License-Identifier: Apache-2.0
// The plan of a search: its points (a sweep or a predefined space), its metric, its budget, its
// rungs, and their cost by earlier results. Main thread only; throws ConfigError.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "harness/base/resolved_case.h"
#include "harness/campaign/run_experiment.h"
#include "harness/tune/internal/search.h"
#include "harness/tune/internal/tune_request.h"
#include "harness/verdict/tested_metrics.h"

namespace stepbench::tune {

// Pairs of launches of a confirmation.
inline constexpr std::size_t kMinPairs = 10;
inline constexpr std::size_t kMaxPairs = 40;  // the last look of `ab`

// The points of a search and the file's own settings.

struct SearchPlan {
  campaign::PlannedRun space = {};      // its cases are the points
  std::size_t own = 0;                  // index of the file's own settings
  bool own_is_swept = false;            // they are also in the sweep
  std::string own_text = {};            // the experiment without its sweep
  std::vector<std::string> sweep = {};  // as requested, including the spaces
  bool changes_work = false;            // varying options change what is computed

  [[nodiscard]] const plan::Plan& plan() const { return space.planned.plan; }
};

[[nodiscard]] SearchPlan plan_search(const TuneRequest& request,
                                     const campaign::CampaignContext& context);

[[nodiscard]] campaign::RunRequest search_run(const TuneRequest& request,
                                              const std::vector<std::string>& sweep);

struct PointCost {
  double launch_s = 0;      // mean over the points with known cost
  std::int64_t points = 0;  // points with known cost
  std::int64_t runs = 0;    // number of earlier runs used
};

struct TunePlan {
  SearchPlan search = {};
  verdict::TestedMetric objective = {};  // including its margin
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
[[nodiscard]] verdict::TestedMetric tested_objective(const TuneRequest& request,
                                                     const SearchPlan& search);
[[nodiscard]] verdict::TestedMetric tested_metric(const TuneRequest& request,
                                                  const SearchPlan& search,
                                                  const std::string& name);
// Minimum number of launches of the winner's confirmation, reserved from the search.
[[nodiscard]] std::size_t reserved_launches(const TuneRequest& request);
// Throws if --launches is less than `fewest`.
void check_launches(const TuneRequest& request, std::size_t fewest);
[[nodiscard]] std::size_t count_that_can_run(const plan::Plan& plan);

// Predefined search spaces, as an alternative to a sweep. Pure; any thread; throw ConfigError.

// "loader", "transfer", "batch", "precision".
[[nodiscard]] const std::vector<std::string>& space_names();

// Each as a --sweep argument: options of `own`, around its values. `cores`: for the workers.
[[nodiscard]] std::vector<std::string> sweeps_of(std::span<const std::string> spaces,
                                                 const ResolvedCase& own, int cores);

// Converts arguments of the script of `own`, "num_workers=0..8,prefetch_factor=2,4", into one
// --sweep: every combination, appended to its existing arguments as `--num_workers 4
// --prefetch_factor 2`.
[[nodiscard]] std::string sweep_of_arguments(const std::string& text, const ResolvedCase& own);

}  // namespace stepbench::tune
