// SPDX-License-Identifier: Apache-2.0
// The table behind transfer.placement, in the order of the catalogue: the one place that names
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
  // Copies to a CUDA device, beside the host: of no use where the step is on the CPU.
  bool asynchronous = false;
  // A step copies a batch: the workload transfer can measure it.
  bool copies = true;
};

[[nodiscard]] std::span<const Placement> placements();
// What transfer.placement names. Throws ConfigError("transfer.placement", ...) if there is no such.
[[nodiscard]] const Placement& placement_of(const ResolvedCase& resolved);

}  // namespace stepbench::transfer
