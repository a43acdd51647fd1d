// SPDX-License-Identifier: Apache-2.0
#include "harness/compare/drift.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "harness/estimate/step_times.h"
#include "harness/stats/order.h"
#include "harness/stats/trend.h"
#include "harness/text/numbers.h"

namespace stepbench {

std::vector<double> block_levels(const CasePair& pair) {
  struct Sum {
    double logs = 0;
    int launches = 0;
  };
  std::map<int, Sum> blocks;
  const std::size_t pairs = std::min(pair.base.measured.size(), pair.candidate.measured.size());
  const StepTimes times = step_times(pair.base.measured, pair.candidate.measured);
  for (std::size_t i = 0; i < pairs; ++i) {
    const double a = times.base[i];
    const double b = times.candidate[i];
    if (!(a > 0) || !(b > 0)) continue;
    Sum& block = blocks[pair.base.measured[i]->row.block];
    block.logs += std::log(a) + std::log(b);
    block.launches += 2;
  }
  std::vector<double> levels;
  levels.reserve(blocks.size());
  for (const auto& [number, sum] : blocks) levels.push_back(sum.logs / sum.launches);
  return levels;
}

Gate drift_gate(std::span<const std::vector<double>> cases) {
  Gate gate{.name = "drift", .warns_at = kDriftWarns, .fails_at = kDriftFails};
  std::size_t blocks = 0;
  for (const std::vector<double>& levels : cases) blocks = std::max(blocks, levels.size());
  if (blocks < 2) return gate;
  const double slope = pooled_theil_sen_slope(cases);
  gate.value = std::expm1(slope * static_cast<double>(blocks - 1));
  const double size = std::abs(gate.value);
  if (!(size > kDriftWarns) || mann_kendall(cases).p_two_sided > kDriftAlpha) return gate;
  gate.state = size > kDriftFails ? GateState::kFailed : GateState::kWarning;
  gate.text = "the machine drifted: steps of both arms became " + percent_text(size) +
              (gate.value > 0 ? " slower" : " faster") + " from the first block to the last";
  if (gate.state == GateState::kFailed) {
    gate.text += ", more than 10 %: it was not the same machine throughout";
  }
  return gate;
}

}  // namespace stepbench
