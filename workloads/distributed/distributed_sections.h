// SPDX-License-Identifier: Apache-2.0
// The section `collective` of the catalogue, the phase and metrics of the workload collective, its
// rule, and the arithmetic of its bandwidths; and the rules of a training step with several ranks.
// Torch-free.
//
// Sizes and bandwidths are those of nccl-tests (doc/PERFORMANCE.md there), so that numbers are
// comparable with its tables. With n ranks and S bytes in a rank's whole buffer (the input of
// all_to_all and reduce_scatter, the output of all_gather):
//
//   algorithm bandwidth  algbw = S / time
//   bus bandwidth        busbw = algbw * factor, the rate of a link, independent of n:
//     all_reduce                              2 (n - 1) / n
//     all_gather, reduce_scatter, all_to_all    (n - 1) / n
//     broadcast                               1
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "harness/catalogue/catalogue.h"
#include "harness/measure/phase.h"
#include "harness/rule.h"

namespace stepbench::distributed {

enum class CollectiveOp : std::uint8_t {
  kAllReduce,
  kAllGather,
  kReduceScatter,
  kBroadcast,
  kAllToAll
};

struct CollectiveKind {
  std::string_view name;
  CollectiveOp op;
  bool divided = false;  // the buffer is divided into one part per rank
  double links = 1;      // factor over (n - 1) / n; for broadcast: the factor
};
// Looks up a name of `collective.op`.
[[nodiscard]] const CollectiveKind& collective_kind(std::string_view name);
[[nodiscard]] double bus_factor(const CollectiveKind& kind, int ranks);

// Size of an element of `collective.dtype`.
[[nodiscard]] std::int64_t element_bytes(std::string_view dtype);

inline constexpr PhaseId kCollectivePhase = declared_phase(0);

[[nodiscard]] Section collective_section();
[[nodiscard]] std::vector<Phase> collective_phases();
[[nodiscard]] std::vector<Metric> collective_metrics();

void check_collective(ResolvedCase& resolved, const RuleFacts& facts, RuleSink& sink);

// Rules of a training step with several ranks. Torch-free.

inline constexpr const char* kSync = "distributed.sync";

// For a workload in ranks without gradient exchange: removes its options from the case and rejects
// those that were set.
void refuse_sync(ResolvedCase& resolved, RuleSink& sink);

// With several ranks the default of `distributed.sync` is ddp.
void check_group_train_step(ResolvedCase& resolved, const RuleFacts& facts, RuleSink& sink);

}  // namespace stepbench::distributed
