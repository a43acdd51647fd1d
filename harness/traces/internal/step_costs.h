// SPDX-License-Identifier: Apache-2.0
// Costs of the counted steps by name, one value per step; the input of trace comparisons. Names are
// copied, so the trace need not be kept. Pure; any thread.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "harness/base/enum_names.h"
#include "harness/traces/analysis.h"

namespace stepbench::traces {

enum class CostKind : std::uint8_t {
  kOperator,   // ops and annotations of all threads: time in which they are the innermost row
  kKernel,     // kernels, copies and sets: sum of durations, by the step that launched them
  kCall,       // runtime or driver calls, by the step in which they begin
  kShape,      // matrix products, convolutions and attention by shape: EfficiencyRow
  kCollective  // CollectiveRow
};
constexpr EnumNames<5> names_of(CostKind) {
  return {"operator", "kernel", "call", "shape", "collective"};
}
inline constexpr std::size_t kCostKinds = 5;

struct NamedCost {
  CostKind kind = CostKind::kOperator;
  std::string name = {};
  // For operators, if known: "data_wait", "backward", "optimizer" or the outermost annotation
  // around them. For shapes: "forward" or "backward". For collectives: their group.
  std::string phase = {};
  StepShares steps = {};  // calls: number that begin in the step
  // Sum over all steps: FLOP of shapes, bus bytes of collectives; 0: unknown.
  double work = 0;
};

[[nodiscard]] inline auto key_of(const NamedCost& cost) {
  return std::tie(cost.kind, cost.name, cost.phase);
}

// Merges two lists sorted by key: visits both entries of a key together, null for a missing one.
template <typename Costs, typename MoreCosts, typename Visit>
void for_each_key(Costs& a, MoreCosts& b, const Visit& visit) {
  auto left = a.begin();
  auto right = b.begin();
  while (left != a.end() || right != b.end()) {
    const bool has_left = left != a.end() && (right == b.end() || key_of(*left) <= key_of(*right));
    const bool has_right = right != b.end() && (left == a.end() || key_of(*right) <= key_of(*left));
    visit(has_left ? &*left : nullptr, has_right ? &*right : nullptr);
    if (has_left) ++left;
    if (has_right) ++right;
  }
}

// Sorted by kind, name and phase. Rows with equal names are merged, such as convolutions of one
// shape with different strides. `analysis` must be of the same timeline.
[[nodiscard]] std::vector<NamedCost> step_costs(const Timeline& timeline, const Analysis& analysis);

}  // namespace stepbench::traces
