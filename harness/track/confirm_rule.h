// SPDX-License-Identifier: Apache-2.0
// Whether pairs of launches, the last good build's against tonight's, reproduce a suspicion. The
// same measure as a verdict of `ab`: log ratios, Wilcoxon's signed-rank test and the
// Hodges-Lehmann interval, but one-sided, because the direction is known. Pure; any thread.
#pragma once

#include <cstddef>
#include <span>

#include "harness/track/told_rule.h"

namespace stepbench::track {

inline constexpr std::size_t kConfirmPairs = 20;
inline constexpr double kConfirmP = 0.005;  // one-sided
// Of fewer pairs p cannot be below kConfirmP.
inline constexpr std::size_t kMinConfirmPairs = 8;

struct ConfirmAnswer {
  // False: too few usable pairs, or more than a tenth of them without a value; then nothing else is
  // said, and the suspicion stays open.
  bool judged = false;
  bool reproduced = false;
  double change = 0;  // Hodges-Lehmann estimate of tonight / good - 1
  double low = 0;     // one-sided 95 % bounds of it: each holds in 95 %, both together in 90 %
  double high = 0;
  double p = 1;  // one-sided
  std::size_t pairs = 0;
  std::size_t dropped = 0;  // with a value that is not finite or not positive
};

// `good` and `tonight` hold the values of pair i at index i. `suspected_higher`: the value is
// suspected to have risen; whether that is bad does not matter here. Reproduced: p below kConfirmP
// and the 95 % bound beyond the margin.
[[nodiscard]] ConfirmAnswer confirm(std::span<const double> good, std::span<const double> tonight,
                                    bool suspected_higher, double margin = kTellMargin);

}  // namespace stepbench::track
