// SPDX-License-Identifier: Apache-2.0
// Keeps the part of one rank's trace that its job needs, and decides which traces belong to one
// job, which of their collectives match, and which rank waits in them for which. Pure; any thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "harness/traces/analysis.h"
#include "harness/traces/internal/collectives.h"

namespace stepbench::traces {

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
[[nodiscard]] std::optional<RankTrace> rank_trace(const std::string& path, const Trace& trace,
                                                  const Analysis& analysis);

// Groups traces of one job with several ranks: groups of at least two ranks that share a job and a
// world size, as indices into `ranks`. Other traces are in no group.
[[nodiscard]] std::vector<std::vector<std::size_t>> rank_jobs(const std::vector<RankTrace>& ranks);

// Collectives of several ranks. A rank is identified by its index in the given steps.

// Ranks that share one collective in a step: the rank's index and its view of the collective.
using Entries = std::vector<std::pair<std::size_t, const ExchangeRow*>>;

// Collectives of one step.
struct Matched {
  std::vector<Entries> collectives;
  std::vector<std::vector<TimeSpan>> unknown;  // by rank index: collectives without a counterpart
};
[[nodiscard]] Matched match(const std::vector<const RankStep*>& steps);

// Returns the entry of the last rank to enter: the one that waits least.
[[nodiscard]] Entries::const_iterator last_of(const Entries& entries);

struct RankWait {
  TimeSpan at = {};  // from its call until the last rank enters
  // As long as the wait, but at the end of the call: if all ranks had come in time, the exchange
  // would have begun with the call, overlapping the rank's computing, and saved this time.
  TimeSpan lost = {};
  TimeSpan exchange = {};     // the rest, at the beginning of the call
  std::size_t for_place = 0;  // index of the rank that entered last
};
// Waits of each rank, by rank index.
[[nodiscard]] std::vector<std::vector<RankWait>> waits_in(const std::vector<Entries>& collectives,
                                                          std::size_t ranks);
// Time lost in these waits, excluding time in which another collective would be exchanged.
[[nodiscard]] IntervalSet lost_moments(const std::vector<RankWait>& waits,
                                       std::optional<std::size_t> for_place = {});

}  // namespace stepbench::traces
