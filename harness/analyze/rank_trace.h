// SPDX-License-Identifier: Apache-2.0
// What is kept of the trace of one rank, and which traces are of one job. Pure; any thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "harness/analyze/analysis.h"
#include "harness/analyze/collectives.h"

namespace stepbench::analyze {

struct RankStep {
  std::int64_t number = 0;    // of ProfilerStep
  std::int64_t begin_ns = 0;  // on the trace's own clock, since 1970 where it has a base
  StepTime time = {};
  std::int64_t communication_ns = 0;          // all of it, hidden too
  std::vector<ExchangeRow> collectives = {};  // by start
};

struct RankTrace {
  std::string path = {};
  std::int64_t rank = 0;
  std::optional<std::int64_t> world = {};
  std::string job = {};  // of a trace of stepbench: case, launch and profiler
  std::string host = {};
  bool since_1970 = false;   // its clock says what time it was
  std::int64_t base_ns = 0;  // of that clock: where the trace's own is 0
  bool damaged = false;
  WindowKind window = WindowKind::kHostStep;
  IdleScope scope = IdleScope::kHost;
  std::int64_t resolution_ns = 1;
  // Kernels that compute; without a device operators of the step thread.
  IntervalSet computing = {};
  std::vector<RankStep> steps = {};  // counted ones
};

// Nothing where the trace does not say its rank.
[[nodiscard]] std::optional<RankTrace> rank_trace(const std::string& path,
                                                  const trace::Trace& trace,
                                                  const Analysis& analysis);

// Are these traces of one job of several ranks? Groups of two or more ranks that share a job and a
// world, as indices of `ranks`; traces of no such job are in no group.
[[nodiscard]] std::vector<std::vector<std::size_t>> rank_jobs(const std::vector<RankTrace>& ranks);

}  // namespace stepbench::analyze
