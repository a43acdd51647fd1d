// SPDX-License-Identifier: Apache-2.0
// The sections `transfer` and `copy` of the catalogue with the table behind transfer.placement, the
// metrics of the workload transfer, and their rules. Torch-free.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "harness/base/resolved_case.h"
#include "harness/catalogue/catalogue.h"
#include "harness/rule.h"

namespace stepbench::transfer {

[[nodiscard]] Section transfer_section();
// For the workload transfer.
[[nodiscard]] Section copy_section();
[[nodiscard]] std::vector<Metric> copy_metrics();

// For steps that take batches from a loader.
void check_transfer(ResolvedCase& resolved, const RuleFacts& facts, RuleSink& sink);
// For the workload transfer.
void check_copy(ResolvedCase& resolved, const RuleFacts& facts, RuleSink& sink);

// The table behind transfer.placement, in the order of the catalogue; the only place that names
// placements.

enum class PlacementKind : std::uint8_t {
  kInline,
  kInlineNonBlocking,
  kPrefetchStream,
  kPinThread,
  kUpstream,
  kNone
};

struct Placement {
  std::string_view name;
  PlacementKind kind = PlacementKind::kInline;
  // Copies to a CUDA device asynchronously: useless if the step is on the CPU.
  bool asynchronous = false;
  // The step copies a batch, so that the workload transfer can measure it.
  bool copies = true;
};

[[nodiscard]] std::span<const Placement> placements();
// Looks up transfer.placement. Throws ConfigError("transfer.placement", ...) if it is unknown.
[[nodiscard]] const Placement& placement_of(const ResolvedCase& resolved);

}  // namespace stepbench::transfer
