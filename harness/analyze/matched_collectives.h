// SPDX-License-Identifier: Apache-2.0
// Matches the collectives of several ranks and finds who waits in them for whom. A rank is
// identified by its index in the given steps. Pure; any thread.
#pragma once

#include <cstddef>
#include <optional>
#include <utility>
#include <vector>

#include "harness/analyze/rank_trace.h"

namespace stepbench::analyze {

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

}  // namespace stepbench::analyze
