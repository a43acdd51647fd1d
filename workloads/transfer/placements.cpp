// SPDX-License-Identifier: Apache-2.0
#include "workloads/transfer/placements.h"

#include <array>
#include <string>

#include "harness/base/error.h"

namespace stepbench::transfer {

std::span<const Placement> placements() {
  static constexpr std::array rows = {
      Placement{.name = "inline", .kind = PlacementKind::kInline},
      Placement{.name = "inline_non_blocking",
                .kind = PlacementKind::kInlineNonBlocking,
                .asynchronous = true},
      Placement{
          .name = "prefetch_stream", .kind = PlacementKind::kPrefetchStream, .asynchronous = true},
      Placement{.name = "pin_thread", .kind = PlacementKind::kPinThread, .asynchronous = true},
      Placement{.name = "upstream", .kind = PlacementKind::kUpstream, .copies = false},
      Placement{.name = "none", .kind = PlacementKind::kNone, .copies = false},
  };
  return rows;
}

const Placement& placement_of(const ResolvedCase& resolved) {
  const std::string& name = resolved.text("transfer.placement");
  for (const Placement& placement : placements()) {
    if (placement.name == name) return placement;
  }
  throw ConfigError("transfer.placement", "unknown placement '" + name + "'");
}

}  // namespace stepbench::transfer
