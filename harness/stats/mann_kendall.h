// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <vector>

namespace stepbench {

// Whether values rise or fall with their index: Kendall's S, summed over series that are
// independent of each other, by the normal approximation with continuity correction.
struct MannKendall {
  double s = 0;  // pairs that rise minus pairs that fall
  double p_two_sided = 1;
};
[[nodiscard]] MannKendall mann_kendall(std::span<const std::vector<double>> series);

}  // namespace stepbench
