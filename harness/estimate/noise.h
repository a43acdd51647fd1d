// SPDX-License-Identifier: Apache-2.0
// Where the noise of a case comes from: its steps, or its launches. What a launch's number varies
// by is launch_sd^2 + step_sd^2 / steps, so that longer launches mend the one and more launches
// both. All spreads are relative standard deviations. Pure; any thread.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "harness/estimate/case_rows.h"
#include "harness/stats/interval.h"
#include "harness/stats/variance_components.h"

namespace stepbench::estimate {

struct CaseNoise {
  std::size_t launches = 0;
  double steps = 0;     // of a launch, their harmonic mean
  double total_sd = 0;  // of a launch's number, as it was measured
  // Of one step, as it counts in a mean: neighbours that are alike make it larger. nullopt: fewer
  // than four blocks of steps in every launch, or `wanders`.
  std::optional<double> step_sd = {};
  // The steps wander more slowly than a window lasts: which part is the launches' cannot be told.
  bool wanders = false;
  double launch_sd = 0;                    // 0: none is seen beyond what the steps explain
  stats::Interval launch_interval = {};    // 95 %, of launch_sd; for normal data
  std::optional<double> overhead_ns = {};  // of a launch beyond its window; nullopt: not recorded
  double step_ns = 0;                      // on the host: what one more step costs
};

// nullopt for fewer than three launches, or a smoke run.
[[nodiscard]] std::optional<CaseNoise> noise_of(const CaseRow& row);

// The same case measured in several runs, nights for example, perhaps by several builds.
struct NoiseOverRuns {
  std::string case_id;
  std::string arm;
  stats::NestedVariances variances;  // of the logarithm: builds, runs, launches
};
// Of each case and arm that two runs or more have, in order of appearance.
[[nodiscard]] std::vector<NoiseOverRuns> noise_over_runs(std::span<const CaseRow> rows);

}  // namespace stepbench::estimate
