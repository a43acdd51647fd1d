// SPDX-License-Identifier: Apache-2.0
// Whole searches on made launch times: a row of programs, one of which makes the step slower.
#pragma once

#include <cstddef>
#include <cstdint>
#include <set>
#include <vector>

#include "harness/bisect/bisection.h"

namespace stepbench::bisect {

struct World {
  std::size_t commits = 64;
  std::vector<double> steps = {};  // log ratio that each commit adds, by place; the first is 0
  double cv = 0.01;                // of a launch
  bool heavy_tails = false;        // Student's t with 3 degrees of freedom
  double layout = 0;               // spread of a constant that each build draws
  std::set<std::size_t> broken = {};
};

// A world in which the commit at `place` adds `step`.
[[nodiscard]] World one_step(std::size_t commits, std::size_t place, double step, double cv);

struct Lived {
  SearchAnswer answer = SearchAnswer::kOpen;
  std::size_t good = 0;
  std::size_t bad = 0;
  std::size_t launches = 0;
  std::size_t commits_judged = 0;
  std::optional<Ends> rest = {};
};

// By the code that `stepbench bisect` runs; pairs are drawn in place of launched.
[[nodiscard]] Lived live(const World& world, double confidence, std::uint64_t seed);

}  // namespace stepbench::bisect
