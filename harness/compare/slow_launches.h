// SPDX-License-Identifier: Apache-2.0
// Launches that cost far more than the others of their side: users notice them, but the shift of
// the typical launch does not show them. Pure; any thread.
#pragma once

#include <cstddef>
#include <span>
#include <string>

namespace stepbench::compare {

struct SlowLaunches {
  std::size_t base = 0;  // slow launches of `base_launches`
  std::size_t base_launches = 0;
  std::size_t candidate = 0;
  std::size_t candidate_launches = 0;
  double excess = 0;  // median excess of slow launches over their side's median: 0.9 = 90 %
  double p = 1;       // Fisher's exact test of equal shares
};

// `base` and `candidate`: cost of each launch, larger is worse. A launch is slow if it exceeds the
// median of its side by 5 % and by five robust standard deviations, pooled over both sides.
[[nodiscard]] SlowLaunches slow_launches(std::span<const double> base,
                                         std::span<const double> candidate);

// "4 of 40 launches of the candidate and none of 40 of the base stand out as worse, by 98 % in the
// middle (that both have as many: p 0.12)"
[[nodiscard]] std::string to_text(const SlowLaunches& slow);

}  // namespace stepbench::compare
