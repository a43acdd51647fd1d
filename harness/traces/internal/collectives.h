// SPDX-License-Identifier: Apache-2.0
// Communication of one rank: size, type, group and bandwidth. Sizes and bandwidths follow
// nccl-tests (NVIDIA/nccl-tests, doc/PERFORMANCE.md). Pure; any thread.
//
// In the trace of a single rank, a collective's duration includes waiting for the other ranks. The
// exchange alone can be timed only with the traces of all ranks: compare_traces.h.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "harness/ops/op_work.h"
#include "harness/traces/internal/steps.h"
#include "harness/traces/internal/summary.h"

namespace stepbench::traces {

// Facts read from the rows. Collectives with equal facts do the same amount of work.
struct ExchangeFacts {
  std::string name = {};         // "allreduce", "_allgather_base", or the row's name
  std::string group = {};        // the group's name and ranks; empty: unknown
  std::int64_t group_size = -1;  // number of ranks in the group; -1: unknown
  ops::Dtype dtype = ops::Dtype::kUnknown;
  // Size as nccl-tests defines it: bytes that a rank sends; for a gather, bytes of its result; for
  // a scatter, bytes of its input. -1: unknown.
  std::int64_t bytes = -1;

  // Returns bus bandwidth / algorithm bandwidth: 2 (n - 1) / n for all-reduce, (n - 1) / n for
  // gathers, scatters and all-to-all, 1 otherwise. nullopt if the name or group size is unknown.
  [[nodiscard]] std::optional<double> bus_factor() const;
  // In bytes per ns (= GB/s). nullopt if the size or the group size is unknown.
  [[nodiscard]] std::optional<double> algorithm_bandwidth(double duration_ns) const;
  [[nodiscard]] std::optional<double> bus_bandwidth(double duration_ns) const;

  friend bool operator<(const ExchangeFacts& a, const ExchangeFacts& b) {
    return std::tie(a.name, a.group, a.group_size, a.dtype, a.bytes) <
           std::tie(b.name, b.group, b.group_size, b.dtype, b.bytes);
  }
};

// A collective or a point-to-point message as seen by one rank.
struct ExchangeRow {
  // Name and group, or the two ranks of a message; equal on all of them. Empty: unknown peers.
  std::string key = {};
  TimeSpan at = {};
  std::int64_t placed_by_ns = 0;  // start of its launch, else its own: decides its step
  ExchangeFacts facts = {};
};

// Returns the communication kernels of the device or, if there are none, the host rows of a backend
// such as Gloo; sorted by start.
[[nodiscard]] std::vector<ExchangeRow> exchanges_of(const Timeline& timeline);

// All exchanges with equal facts.
struct CollectiveRow {
  ExchangeFacts facts = {};
  Summary duration = {};  // in ns, over the whole trace
  InSteps in_steps = {};
  // Part of in_steps.ns during which no kernel computes (on the host: all of it).
  std::int64_t step_exposed_ns = 0;
};

// Sorted by time in the counted steps, then by total time.
[[nodiscard]] ValueOrReason<std::vector<CollectiveRow>> list_collectives(const Timeline& timeline,
                                                                         const Steps& steps);

}  // namespace stepbench::traces
