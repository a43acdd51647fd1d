// SPDX-License-Identifier: Apache-2.0
// Whole searches on generated launch times: a series of programs, one of which makes the step
// slower.
#pragma once

#include "harness/bisect/internal/search.h"
#include "tests/testing.h"

namespace stepbench::bisect {

struct World {
  std::vector<double> steps = {};  // log ratio that each commit adds, by place; the first is 0
  double cv = 0.01;                // of a launch
  bool heavy_tails = false;        // Student's t with 3 degrees of freedom
  double layout = 0;               // spread of a constant that each build draws
  double lost = 0;                 // share of pairs that cannot be used
  std::set<std::size_t> broken = {};
};

// A world in which the commit at `place` adds `step`.
[[nodiscard]] World one_step(std::size_t commits, std::size_t place, double step, double cv);

struct Lived : SearchResult {
  std::size_t launches = 0;
  std::size_t builds = 0;
  std::vector<SearchStep> steps = {};
};

// Uses the code of `stepbench bisect`; pairs are drawn instead of launched.
[[nodiscard]] Lived live(const World& world, SearchSetup setup, std::uint64_t seed,
                         std::size_t expected = 0);
[[nodiscard]] Lived live(const World& world, std::uint64_t seed);

}  // namespace stepbench::bisect
