// SPDX-License-Identifier: Apache-2.0
// Finds what makes the numbers of a case doubtful: noise of its steps or launches, a busy machine,
// windows without a steady state. The variance of a launch's value is launch_sd^2 + step_sd^2 /
// steps: longer launches reduce the second term, more launches reduce both. Spreads of noise are
// relative standard deviations. Pure; any thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "harness/estimate/case_rows.h"
#include "harness/estimate/internal/variance_components.h"
#include "harness/record/result_file.h"
#include "harness/stats/order_statistics.h"

namespace stepbench::estimate {

struct CaseNoise {
  std::size_t launches = 0;
  double steps = 0;     // per launch, harmonic mean
  double total_sd = 0;  // of a launch's number, as measured
  // The spread of one step, as it contributes to a mean: correlation between neighbours increases
  // it. nullopt if every launch has fewer than four blocks of steps, or if `wanders`.
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
  NestedVariances variances;  // of the logarithm: builds, runs, launches
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

// How busy the machine was during the launches of a case, as observed from outside.

struct BusyMachine {
  double waited = 0;                  // share of its time that the training thread waited for a CPU
  std::optional<double> others = {};  // share of the CPUs used by other programs; nullopt: unknown

  // True if other programs used little, so that the case's own threads exceed the CPUs.
  [[nodiscard]] bool only_own_threads() const;
};
// Medians over the launches of a case; nullopt if fewer than half of the measured launches had to
// wait for a CPU.
[[nodiscard]] std::optional<BusyMachine> busy_machine(const CaseRow& row);
// Launches that had to wait for a CPU and recorded for how long.
[[nodiscard]] std::vector<BusyMachine> busy_launches(const CaseRow& row);
// The busiest case; nullopt if its waiting hardly affects the results.
[[nodiscard]] std::optional<BusyMachine> busiest(std::span<const CaseRow> rows);

// True if other programs used enough of the machine to explain the waiting of the case.
[[nodiscard]] bool others_may_explain(const CaseRow& row);

// Checks whether the windows of a case show a steady state: a warm-up that reached into them, a
// loader's queue that was less full at the end of a window than at its start, slow steps that occur
// less than once per launch.

struct WarmupEffect {
  std::size_t launches = 0;
  // Increase of the step due to the first half of its windows: 0.02 = 2 % longer. Mean over
  // launches with its 95 % interval by Student's t.
  double change = 0;
  stats::Interval interval;
  // At least 0.5 %, and above zero by a one-sided test at 1.5 %.
  bool reported = false;
  // If `reported`: steps to drop at the start of each window so that the rest is less than 0.5 %
  // above the last half; at most half of it.
  std::int64_t drop = 0;
  // Smallest change that launches with this variation detect in 95 of 100 cases.
  double finds = 0;
};

// Steps of one launch by window, and which of them are excluded from both means: waiting for a new
// epoch is not warm-up.
struct StepWindows {
  std::vector<std::vector<double>> times = {};
  std::vector<std::vector<bool>> excluded = {};
  std::size_t turn = 1;  // steps delivered together by the loader's workers; never split
};

// nullopt for fewer than two launches with at least four turns in each window.
[[nodiscard]] std::optional<WarmupEffect> warmup_effect(std::span<const StepWindows> launches);
// Uses the clock of the case's step. nullopt also for a latency: it is a median, which a few slow
// steps do not move.
[[nodiscard]] std::optional<WarmupEffect> warmup_effect(const CaseRow& row);

// A window consumes batches that were ready before it without producing them, and vice versa: the
// rate of production lies between both counts.
struct UnevenQueue {
  double gained = 0;  // batches ready at a window's end minus those at its start
  double low_ns = 0;  // step in steady state
  double high_ns = 0;
  std::int64_t more_warmup = 0;  // additional warm-up steps that level the queue
};
// nullopt if the queue was level, the step does not wait for data, or a launch does not record it.
[[nodiscard]] std::optional<UnevenQueue> uneven_queue(const CaseRow& row);

// Rare slow steps: the mean over launches sees them, the median does not.

struct RareSlowSteps {
  std::int64_t slow = 0;    // longer than any step of the median launch
  std::int64_t steps = 0;   // in all launches
  double difference = 0;    // of the mean over launches from their median: 0.08 = 8 % longer
  std::int64_t active = 0;  // number of steps in which about ten of them are expected
};

// nullopt while mean and median over launches agree within `margin`.
[[nodiscard]] std::optional<RareSlowSteps> rare_slow_steps(const CaseRow& row, double margin);

}  // namespace stepbench::estimate
