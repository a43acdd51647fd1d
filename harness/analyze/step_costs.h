// SPDX-License-Identifier: Apache-2.0
// What the counted steps of a trace spent by name, a value for each step: what a comparison of
// traces reads. Names are texts, so that the trace need not be kept. Pure; any thread.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "harness/analyze/analysis.h"
#include "harness/base/enum_names.h"

namespace stepbench::analyze {

enum class CostKind : std::uint8_t {
  kOperator,   // ops and annotations of all threads: the time in which they are the innermost row
  kKernel,     // kernels, copies and sets: sums of durations, by the step that launched them
  kCall,       // calls of the runtime or driver, by the step in which they begin
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
  // Of operators, where the trace tells: "data_wait", "backward", "optimizer", or the outermost
  // annotation around them. Of shapes "forward" or "backward", of collectives their group.
  std::string phase = {};
  StepShares steps = {};  // calls: how many begin in it
  // Of all steps: FLOP of shapes, bytes of collectives as bus bandwidth counts them; 0: not known.
  double work = 0;
};

[[nodiscard]] inline auto key_of(const NamedCost& cost) {
  return std::tie(cost.kind, cost.name, cost.phase);
}

// Goes through two lists that are sorted by key: both of one key together, null for a missing one.
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

// By kind, name and phase. Rows of one name are put together: convolutions of one shape whose
// strides differ. `analysis` is the timeline's.
[[nodiscard]] std::vector<NamedCost> step_costs(const Timeline& timeline, const Analysis& analysis);

}  // namespace stepbench::analyze
