// SPDX-License-Identifier: Apache-2.0
// Upper bounds on how much slower each case is than the best. Multiple comparisons with the best
// (Hsu 1981): all bounds of a table hold together in at least 95 % of tables, without knowing which
// case is the best. Pure; any thread.
#pragma once

#include <span>
#include <vector>

namespace stepbench::estimate {

// A round is one launch of each case in turn; the machine's effect on the whole round is removed.
struct RoundTime {
  int round = 0;
  double log_time = 0;  // natural logarithm
};

// Returns exp(bound) - 1 for each case: 0.023 = at most 2.3 % slower than the best. Dunnett's
// one-sided bound on the means of the logarithms, with one spread for all cases; a case that varies
// clearly more than the others has its own. Empty for fewer than two cases, or if a case has fewer
// than six rounds.
[[nodiscard]] std::vector<double> best_bounds(std::span<const std::vector<RoundTime>> cases,
                                              double confidence = 0.95);

}  // namespace stepbench::estimate
