// SPDX-License-Identifier: Apache-2.0
// Whole searches on generated surfaces: the cost of a setting is drawn, launches vary, and the
// machine drifts.
#pragma once

#include <random>

#include "tests/testing.h"

namespace stepbench::tune {

// A grid of loader settings: workers that share cores, a disk with a limit, queues and pinned
// memory that cost or save a few percent, and a fixed step.
struct Surface {
  std::vector<double> log_values = {};  // true ones, by point
};
[[nodiscard]] Surface draw_surface(std::size_t points, std::mt19937_64& engine);
// Half of the points equal the best.
[[nodiscard]] Surface draw_plateau(std::size_t points, std::mt19937_64& engine);

struct Conditions {
  double cv = 0.01;                // of a launch
  bool heavy_tails = false;        // Student's t with 3 degrees of freedom
  double drift = 0.003;            // change of the machine's speed per launch
  std::vector<double> first = {};  // extra time of the first launches of all: a cold cache
  double own_first = 0;            // the same for each point's first launch, at most
  std::vector<double> drawn = {};  // launches vary like these instead of by a normal distribution
};

struct Searched {
  double regret = 0;  // of the winner over the best point
  double cost = 0;    // relative to 6 launches of every point, by time
  double bound = 0;   // see Bound
};

// Uses the code of `stepbench tune`; launches are drawn.
[[nodiscard]] Searched search(const Surface& surface, const Conditions& conditions,
                              std::uint64_t seed);

}  // namespace stepbench::tune
