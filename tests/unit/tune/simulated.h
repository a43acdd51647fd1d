// SPDX-License-Identifier: Apache-2.0
// Whole searches on made surfaces: what a setting costs is drawn, launches vary, and the machine
// drifts meanwhile.
#pragma once

#include <cstddef>
#include <cstdint>
#include <random>
#include <vector>

namespace stepbench::tune {

// A grid of loader settings: workers that share cores, a disk that has a limit, queues and pinned
// memory that cost or save a few percent, a step that is as long as it is.
struct Surface {
  std::vector<double> log_values = {};  // true ones, by point
};
[[nodiscard]] Surface draw_surface(std::size_t points, std::mt19937_64& engine);
// Half of the points are as good as the best.
[[nodiscard]] Surface draw_plateau(std::size_t points, std::mt19937_64& engine);

struct Conditions {
  double cv = 0.01;                // of a launch
  bool heavy_tails = false;        // Student's t with 3 degrees of freedom
  double drift = 0.003;            // what the machine's speed changes by from launch to launch
  std::vector<double> first = {};  // by so much the first launches of all take longer: a cold cache
  double own_first = 0;            // the same of each point's first launch, at most
  std::vector<double> drawn = {};  // launches vary as these do, in place of a normal law
};

struct Searched {
  double regret = 0;  // of the winner over the best point
  double cost = 0;    // of 6 launches of every point, by time
  double bound = 0;   // see Bound
};

// By the code that `stepbench tune` runs; launches are drawn.
[[nodiscard]] Searched search(const Surface& surface, const Conditions& conditions,
                              std::uint64_t seed);

}  // namespace stepbench::tune
