// SPDX-License-Identifier: Apache-2.0
// What a step would take with another number of workers, by what measured launches tell of their
// batches and the loader's own rules of dispatch. A prediction, held against what was measured.
// Pure; any thread.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "harness/estimate/case_rows.h"

namespace stepbench::estimate {

// Times in nanoseconds.
struct LoaderModel {
  double turn_ns = 0;  // of a worker, for one batch, without its waits for a CPU
  double turn_cv = 0;  // how uneven batches are
  double own_ns = 0;   // of the step beyond its wait for data
  double own_cv = 0;
  double cpu_ns = 0;  // CPU time of all for a step
  double cores = 1;   // that there are for it, and for `others`
  // Threads of other programs that want these cores, on average: as many of equal right as explain
  // how the CPU time was divided.
  double others = 0;
  // While it waits for a core it gets no further with its computing.
  double turn_cpu_ns = 0;  // of turn_ns
  double own_cpu_ns = 0;   // of own_ns
  std::int64_t prefetch_factor = 2;
};

// The mean step in a steady state: worker i makes batches i, i + workers, ..., at most
// prefetch_factor * workers are ahead of the step, and all share the cores: each thread that wants
// one gets as much as any other, those of other programs among them. 0: the step reads its batches
// itself.
[[nodiscard]] double predicted_step_ns(const LoaderModel& model, std::int64_t workers);

// nullopt where the launch tells too little: no loader of ours or Python's, separate epochs whose
// borders lie in the window, replayed batches, a file of an earlier version.
[[nodiscard]] std::optional<LoaderModel> loader_model(const CaseRow& row,
                                                      const MeasuredLaunch& launch);

struct WorkersWhatIf {
  const CaseRow* base = nullptr;      // whose launches it is from
  const CaseRow* measured = nullptr;  // of that number of workers; null: was not measured
  std::int64_t workers = 0;
  double step_ns = 0;    // median over the base's launches
  double within_ns = 0;  // half of what they span
  // Of the measured one: predicted / measured - 1.
  std::optional<double> error = {};
};

// A case and those that differ from it in loader.num_workers alone.
struct WorkersSweep {
  std::vector<WorkersWhatIf> asked = {};  // in order of `workers`
  std::vector<WorkersWhatIf> held = {};   // each measured case, from the nearest other one
  std::optional<double> median_error = {};
};

// Each sweep of the rows that can be told of; a case alone is one.
[[nodiscard]] std::vector<WorkersSweep> workers_what_if(const std::vector<CaseRow>& rows,
                                                        const std::vector<std::int64_t>& workers);

}  // namespace stepbench::estimate
