// SPDX-License-Identifier: Apache-2.0
// Where the noise of a case comes from: its steps, in blocks, or its launches. The variance of a
// launch's value is launch_sd^2 + step_sd^2 / steps: longer launches reduce the second term, more
// launches reduce both. All spreads are relative standard deviations. Pure; any thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "harness/estimate/case_rows.h"
#include "harness/record/reader.h"
#include "harness/stats/order_statistics.h"
#include "harness/stats/variance_components.h"

namespace stepbench::estimate {

struct CaseNoise {
  std::size_t launches = 0;
  double steps = 0;     // per launch, harmonic mean
  double total_sd = 0;  // of a launch's number, as measured
  // Of one step, as it contributes to a mean: correlation between neighbours increases it. nullopt
  // if every launch has fewer than four blocks of steps, or if `wanders`.
  std::optional<double> step_sd = {};
  // Steps drift more slowly than a window lasts: the launches' part cannot be separated.
  bool wanders = false;
  double launch_sd = 0;                    // 0: none visible beyond what the steps explain
  stats::Interval launch_interval = {};    // 95 %, of launch_sd; for normal data
  std::optional<double> overhead_ns = {};  // of a launch beyond its window; nullopt if not recorded
  double step_ns = 0;                      // on the host: the cost of one more step
};

// nullopt for fewer than three launches or a smoke run.
[[nodiscard]] std::optional<CaseNoise> noise_of(const CaseRow& row);

// The same case measured in several runs, e.g. nights, possibly by several builds.
struct NoiseOverRuns {
  std::string case_id;
  std::string arm;
  stats::NestedVariances variances;  // of the logarithm: builds, runs, launches
};
// For each case and arm with at least two runs, in order of appearance.
[[nodiscard]] std::vector<NoiseOverRuns> noise_over_runs(std::span<const CaseRow> rows);

// Blocks of steps: single steps may be correlated or in lockstep, so the noise of a launch is
// estimated from block means.

struct StepBlocks {
  std::vector<double> means = {};  // of consecutive blocks, by time; no block crosses windows
  std::size_t length = 1;          // steps per block: whole turns of the loader's workers
  std::int64_t steps = 0;          // in all windows
};

// About twenty blocks; by the device's clock if the launch has it. For a latency case
// (LaunchEstimate::latency) the blocks hold medians of latencies.
[[nodiscard]] StepBlocks step_blocks(const record::Launch& launch);

}  // namespace stepbench::estimate
