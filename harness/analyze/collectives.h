// SPDX-License-Identifier: Apache-2.0
// What a rank exchanges with others: how much, of which type, in which group and how fast. Sizes
// and bandwidths are those of nccl-tests (NVIDIA/nccl-tests, doc/PERFORMANCE.md). Pure; any thread.
//
// In a trace of one rank a collective takes as long as the rank waits for the others and then
// exchanges with them; what exchanging alone takes is known from all ranks: ranks.h.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "harness/analyze/steps.h"
#include "harness/analyze/summary.h"
#include "harness/analyze/value_or_reason.h"
#include "harness/ops/dtype.h"

namespace stepbench::analyze {

// As the rows say. Collectives of equal facts are as much work.
struct ExchangeFacts {
  std::string name = {};         // "allreduce", "_allgather_base", or the row's
  std::string group = {};        // its name and ranks; empty: not said
  std::int64_t group_size = -1;  // ranks of it; -1: not said
  ops::Dtype dtype = ops::Dtype::kUnknown;
  // The size of nccl-tests: what a rank sends, of a gather what it ends up with, of a scatter what
  // it begins with. -1: not said.
  std::int64_t bytes = -1;

  // Bus bandwidth over algorithm bandwidth: 2 (n - 1) / n of an all-reduce, (n - 1) / n of gathers,
  // scatters and all-to-all, 1 of the others. nullopt where name or group size do not tell.
  [[nodiscard]] std::optional<double> bus_factor() const;
  // In bytes per ns, which is GB/s, of a collective that takes so long; absent where the size or
  // the group's is not known.
  [[nodiscard]] std::optional<double> algorithm_bandwidth(double duration_ns) const;
  [[nodiscard]] std::optional<double> bus_bandwidth(double duration_ns) const;

  friend bool operator<(const ExchangeFacts& a, const ExchangeFacts& b) {
    return std::tie(a.name, a.group, a.group_size, a.dtype, a.bytes) <
           std::tie(b.name, b.group, b.group_size, b.dtype, b.bytes);
  }
};

// A collective or a message as a rank sees it.
struct ExchangeRow {
  // Name and group, or the two ranks of a message; empty: the rows do not say what was exchanged
  // with whom. The same on all ranks that take part.
  std::string key = {};
  TimeSpan at = {};
  std::int64_t placed_by_ns = 0;  // its launch, or itself: which step it belongs to
  ExchangeFacts facts = {};
};

// Kernels of the device or, where there are none, the host's rows of a backend such as Gloo; by
// start.
[[nodiscard]] std::vector<ExchangeRow> exchanges_of(const Timeline& timeline);

// All exchanges of equal facts.
struct CollectiveRow {
  ExchangeFacts facts = {};
  Summary duration = {};  // in ns, of the whole trace
  InSteps in_steps = {};
  // Of in_steps.ns, while no kernel computes (on the host: all of it).
  std::int64_t step_exposed_ns = 0;
};

// By time in the counted steps, then in all.
[[nodiscard]] ValueOrReason<std::vector<CollectiveRow>> list_collectives(const Timeline& timeline,
                                                                         const Steps& steps);

}  // namespace stepbench::analyze
