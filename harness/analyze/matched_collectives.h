// SPDX-License-Identifier: Apache-2.0
// Which collectives of several ranks are the same one, and who waits in them for whom. A rank is
// named by its place among the steps that are given. Pure; any thread.
#pragma once

#include <cstddef>
#include <optional>
#include <utility>
#include <vector>

#include "harness/analyze/rank_trace.h"

namespace stepbench::analyze {

// Ranks of a step that have a collective in common: their places, and what each saw of it.
using Entries = std::vector<std::pair<std::size_t, const ExchangeRow*>>;

// Of one step.
struct Matched {
  std::vector<Entries> collectives;
  std::vector<std::vector<TimeSpan>> unknown;  // by place: those without a counterpart
};
[[nodiscard]] Matched match(const std::vector<const RankStep*>& steps);

// The rank that waits least is the last to enter.
[[nodiscard]] Entries::const_iterator last_of(const Entries& entries);

struct RankWait {
  TimeSpan at = {};  // from its call until the last rank enters
  // As long, at the end of the call: had all come in time, exchanging would have begun with the
  // call, beside what the rank computes there, and this is what would not be.
  TimeSpan lost = {};
  TimeSpan exchange = {};     // the rest, at the call's begin
  std::size_t for_place = 0;  // of the rank that entered last
};
// By place.
[[nodiscard]] std::vector<std::vector<RankWait>> waits_in(const std::vector<Entries>& collectives,
                                                          std::size_t ranks);
// What is lost in these waits: not while another collective would be exchanged.
[[nodiscard]] IntervalSet lost_moments(const std::vector<RankWait>& waits,
                                       std::optional<std::size_t> for_place = {});

}  // namespace stepbench::analyze
