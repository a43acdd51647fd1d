// SPDX-License-Identifier: Apache-2.0
// The user's request for a search for good settings, and its plan: points (a sweep or a predefined
// space), metric, budget, rungs, and their cost by earlier results. Main thread only; throws
// ConfigError.
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
#include "harness/tune/internal/tune_agenda.h"
#include "harness/verdict/tested_metrics.h"

namespace stepbench::tune {

// Pairs of launches of a confirmation.
inline constexpr std::size_t kMinPairs = 10;
inline constexpr std::size_t kMaxPairs = 40;  // the last look of `ab`

inline constexpr const char* kWorkRate = "samples_per_s";

struct TuneRequest : campaign::RunRequest {
  std::vector<std::string> spaces = {};  // from space_names(), in addition to the sweep
  std::string arguments = {};            // script arguments: see sweep_of_arguments()
  std::string objective = {};  // a metric; empty: the step, or samples/s if batch sizes differ
  std::optional<double> margin = {};
  std::optional<double> memory_limit = {};  // bytes
  Allowance allowance = {};
  bool confirm = true;
  std::vector<std::string> allow = {};  // gates that only warn in the confirmation
  std::optional<std::uint64_t> seed = {};
  std::string tuned_file = {};  // additional file for the winner; empty: only in the folder
};

struct PointCost {
  double launch_s = 0;      // mean over the points with known cost
  std::int64_t points = 0;  // points with known cost
  std::int64_t runs = 0;    // number of earlier runs used
};

struct TunePlan {
  campaign::RunRequest run = {};         // with the whole sweep
  campaign::PlannedRun space = {};       // its cases are the points
  std::size_t own = 0;                   // index of the file's own settings
  bool own_is_swept = false;             // they are also in the sweep
  std::string own_text = {};             // the experiment without its sweep
  bool changes_work = false;             // varying options change what is computed
  verdict::TestedMetric objective = {};  // including its margin
  // Set if the request names no objective: points may turn out to differ in work.
  std::optional<verdict::TestedMetric> work_rate = {};
  std::size_t can_run = 0;   // points that are not skipped
  std::size_t reserved = 0;  // launches of the winner's confirmation, at least
  std::vector<PlannedRung> rungs = {};
  std::optional<PointCost> cost = {};  // see cost_of_points()

  [[nodiscard]] const plan::Plan& plan() const { return space.planned.plan; }
  // Launches of the search, without warm-up launches.
  [[nodiscard]] std::size_t launches() const;
  // Two warm-up launches, one of each point, and the confirmation; a smaller budget is rejected.
  [[nodiscard]] std::size_t fewest_launches() const {
    return kMinWarmLaunches + can_run + reserved;
  }
};

[[nodiscard]] TunePlan plan_tune(const TuneRequest& request,
                                 const campaign::CampaignContext& context);
// By earlier results; nullopt if there are none.
[[nodiscard]] std::optional<PointCost> cost_of_points(const TuneRequest& request,
                                                      const plan::Plan& plan);

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
