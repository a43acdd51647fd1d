// SPDX-License-Identifier: Apache-2.0
// Launches that cost far more than the others of their side: a shift of the typical launch does not
// see them, a user meets them. Pure; any thread.
#pragma once

#include <cstddef>
#include <span>
#include <string>

namespace stepbench::compare {

struct SlowLaunches {
  std::size_t base = 0;  // of so many launches
  std::size_t base_launches = 0;
  std::size_t candidate = 0;
  std::size_t candidate_launches = 0;
  double excess = 0;  // the middle one of all beyond its side's median: 0.9 = 90 % more
  double p = 1;       // that both sides have one share of them: Fisher's exact test
};

// `base` and `candidate`: what each launch costs, more is worse. One is slow that lies 5 % and five
// robust standard deviations, of both sides, beyond the median of its side.
[[nodiscard]] SlowLaunches slow_launches(std::span<const double> base,
                                         std::span<const double> candidate);

// "4 of 40 launches of the candidate and none of 40 of the base stand out as worse, by 98 % in the
// middle (that both have as many: p 0.12)"
[[nodiscard]] std::string to_text(const SlowLaunches& slow);

}  // namespace stepbench::compare
