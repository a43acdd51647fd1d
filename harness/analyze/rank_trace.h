// SPDX-License-Identifier: Apache-2.0
// Data kept from the trace of one rank, and the grouping of traces into jobs. Pure; any thread.
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
  std::int64_t number = 0;    // N of ProfilerStep#N
  std::int64_t begin_ns = 0;  // on the trace's own clock; since 1970 if it has a base
  StepTime time = {};
  std::int64_t communication_ns = 0;          // all communication, including hidden
  std::vector<ExchangeRow> collectives = {};  // sorted by start
};

struct RankTrace {
  std::string path = {};
  std::int64_t rank = 0;
  std::optional<std::int64_t> world = {};
  std::string job = {};  // for a trace of stepbench: case, launch and profiler
  std::string host = {};
  bool since_1970 = false;   // its clock gives absolute time
  std::int64_t base_ns = 0;  // absolute time at which the trace's own clock is 0
  bool damaged = false;
  WindowKind window = WindowKind::kHostStep;
  IdleScope scope = IdleScope::kHost;
  std::int64_t resolution_ns = 1;
  // Kernels that compute; without a device, operators of the step thread.
  IntervalSet computing = {};
  std::vector<RankStep> steps = {};  // counted steps
};

// nullopt if the trace does not record its rank.
[[nodiscard]] std::optional<RankTrace> rank_trace(const std::string& path,
                                                  const trace::Trace& trace,
                                                  const Analysis& analysis);

// Groups traces of one job with several ranks: groups of at least two ranks that share a job and a
// world size, as indices into `ranks`. Other traces are in no group.
[[nodiscard]] std::vector<std::vector<std::size_t>> rank_jobs(const std::vector<RankTrace>& ranks);

}  // namespace stepbench::analyze
