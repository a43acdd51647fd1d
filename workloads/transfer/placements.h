// SPDX-License-Identifier: Apache-2.0
// The table behind transfer.placement, in the order of the catalogue; the only place that names
// placements. Torch-free.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "harness/base/resolved_case.h"

namespace stepbench::transfer {

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
