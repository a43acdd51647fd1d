// SPDX-License-Identifier: Apache-2.0
// Private to the comparison of ranks: is one of them slower than the others, and more than by
// chance? Pure; any thread.
#pragma once

#include <cstddef>

namespace stepbench::analyze {

// Neighbouring steps are alike (a collection of garbage, a neighbour's job), so that the slowest
// rank of some steps need not be a slow rank: a straggler's lead over the slowest other rank of
// each step has to be this many times its own standard deviation, in the mean. Of equal ranks
// whose work correlates by .8 from step to step, at most 1 in 100 lead so (simulated, of 2 to 8
// ranks and 4 to 100 steps).
[[nodiscard]] double steady_lead(std::size_t steps);
inline constexpr std::size_t kStepsForStraggler = 4;

}  // namespace stepbench::analyze
