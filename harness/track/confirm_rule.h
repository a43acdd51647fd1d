// SPDX-License-Identifier: Apache-2.0
// Whether pairs of launches, the last good build's against tonight's, reproduce a suspicion. Pure;
// any thread.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

namespace stepbench {

inline constexpr std::size_t kConfirmPairs = 20;
inline constexpr double kConfirmP = 0.005;      // one-sided
inline constexpr double kConfirmMargin = 0.01;  // the 95 % bound lies beyond this

struct ConfirmAnswer {
  bool reproduced = false;
  double change = 0;  // Hodges-Lehmann estimate of tonight / good - 1
  double low = 0;     // one-sided 95 % bounds
  double high = 0;
  double p = 1;  // one-sided
  std::size_t pairs = 0;
};

// `good` and `tonight` hold the values of pair i at index i. `worse_is_higher`: the direction that
// was suspected.
[[nodiscard]] ConfirmAnswer confirm(std::span<const double> good, std::span<const double> tonight,
                                    bool worse_is_higher);

}  // namespace stepbench
