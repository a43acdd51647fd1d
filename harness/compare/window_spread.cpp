// SPDX-License-Identifier: Apache-2.0
#include "harness/compare/window_spread.h"

#include <cmath>
#include <vector>

#include "harness/estimate/step_blocks.h"
#include "harness/stats/autocorrelation.h"
#include "harness/stats/order.h"

namespace stepbench::compare {

std::optional<WindowSpread> window_spread(std::span<const record::Launch* const> launches) {
  double squares = 0;
  std::vector<double> steps;
  for (const record::Launch* launch : launches) {
    const estimate::StepBlocks blocks = estimate::step_blocks(*launch);
    const double spread = stats::spread_of_mean(blocks.means);
    if (!std::isfinite(spread)) continue;
    squares += spread * spread;
    steps.push_back(static_cast<double>(blocks.steps));
  }
  if (steps.empty()) return std::nullopt;
  return WindowSpread{std::sqrt(squares / static_cast<double>(steps.size())),
                      std::llround(stats::median(steps))};
}

}  // namespace stepbench::compare
