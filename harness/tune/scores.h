// SPDX-License-Identifier: Apache-2.0
// What launches say of points: each against the others of its round, never against another time of
// the machine. Logarithms of what is to be small. Pure; any thread.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace stepbench::tune {

struct RoundValue {
  std::size_t point = 0;
  double log_value = 0;
};

// One launch of each point that was left.
struct Round {
  bool is_short = false;
  std::vector<RoundValue> values = {};
};
using Rounds = std::vector<Round>;

struct Scored {
  std::size_t point = 0;
  double score = 0;          // log of its value over the middle of those it stands beside
  std::size_t launches = 0;  // behind it
};

// Of `points`, the best first; ties by their order. Of the full rounds that have any of them, or,
// where there is none, of the short ones. A point that a round does not have is scored by the
// others.
[[nodiscard]] std::vector<Scored> scores_of(const Rounds& rounds,
                                            std::span<const std::size_t> points);

// Of one launch, by how launches of the same point differ from round to round.
struct ScoreSpread {
  double sd = 0;
  double freedom = 0;  // 0: nothing is known
};
[[nodiscard]] ScoreSpread spread_of(const Rounds& rounds);

// How much slower than the best point the best of `standing` is at most, with `confidence`.
struct RegretBounds {
  double finalists = 0;  // among those of the last rung
  double all = 0;        // among all that were measured: most of them by one short launch
};
// NaN where nothing is known. `short_sd`: spread of a short launch over that of a full one.
[[nodiscard]] RegretBounds regret_bounds(const Rounds& rounds, std::span<const Scored> standing,
                                         double confidence, double short_sd);

}  // namespace stepbench::tune
