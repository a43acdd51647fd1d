// SPDX-License-Identifier: Apache-2.0
// Searches replayed on a recorded grid: each of their rounds is a recorded one, drawn with
// replacement, so that the disturbances of a round affect all its launches.
#pragma once

#include <cstdint>

#include "tests/unit/tune/recorded_grid.h"

namespace stepbench::tune {

struct Replayed {
  double regret = 0;  // of the winner over the best point
  double cost = 0;    // relative to 6 launches of every point, by time
};

// Uses the code of `stepbench tune`.
[[nodiscard]] Replayed replay_tune(const RecordedGrid& grid, std::uint64_t seed);

// Six launches of every point, the least mean wins: the largest budget.
[[nodiscard]] Replayed replay_sweep(const RecordedGrid& grid, std::uint64_t seed);

// For comparison, each with `budget`, a cost. Random search: every point once in random order, then
// again; the least mean wins. Plain halving: full launches, half of the points continue, values are
// compared directly.
[[nodiscard]] Replayed replay_random(const RecordedGrid& grid, double budget, std::uint64_t seed);
[[nodiscard]] Replayed replay_plain_halving(const RecordedGrid& grid, double budget,
                                            std::uint64_t seed);

}  // namespace stepbench::tune
