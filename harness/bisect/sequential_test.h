// SPDX-License-Identifier: Apache-2.0
// How one program is told from the good end of a search: Wald's sequential probability ratio test
// (Wald, Sequential Analysis, 1947) of paired log ratios, "as good" against "slower by what lies
// between the ends". The spread is not known but pooled over all comparisons of the search, so the
// bounds are wider than Wald's: with f degrees of freedom (f/2)((2 error)^(-2/f) - 1), which is
// -log(2 error) for many. Pure; any thread.
#pragma once

#include <array>
#include <cstddef>
#include <span>

#include "harness/base/enum_names.h"

namespace stepbench::bisect {

// Paired log ratios of one comparison: log(candidate / base) of the pairs, positive is worse.
using LogRatios = std::span<const double>;

inline constexpr std::size_t kFewestPairs = 2;  // of a commit
inline constexpr std::size_t kMostPairs = 40;   // an undecided commit widens the range
inline constexpr std::size_t kPairsOfBlock = 2;
// Pairs after which the two ends are looked at.
inline constexpr std::array<std::size_t, 3> kLooksAtEnds = {12, 20, 40};

// The spread within the comparisons so far.
class PooledSpread {
 public:
  void add(LogRatios log_ratios);
  [[nodiscard]] std::size_t freedom() const { return freedom_; }
  [[nodiscard]] double variance() const;  // 0 without freedom

 private:
  double sum_of_squares_ = 0;
  std::size_t freedom_ = 0;
};

enum class Side { kGood, kBad, kOpen };
constexpr EnumNames<3> names_of(Side) { return {"good", "bad", "undecided"}; }

// `size`: the log ratio of the bad end to the good one, above 0. `earlier`: of the other
// comparisons. `error`: the probability that a decided side is wrong.
[[nodiscard]] Side side_of(LogRatios log_ratios, double size, PooledSpread earlier, double error);

// Two programs against each other. The interval is that of this look: each of its bounds errs with
// `error` over all looks together.
struct Ends {
  bool worse = false;  // its interval lies above 0
  bool over = false;   // nothing more to measure: known well, or the last look
  double size = 0;     // log ratios
  double low = 0;
  double high = 0;
  double standard_error = 0;  // of size
};
// At one of kLooksAtEnds.
[[nodiscard]] Ends judge_ends(LogRatios log_ratios, double error);
// After any number of pairs, two or more; never over.
[[nodiscard]] Ends interval_of(LogRatios log_ratios, double error);

// What each of the decisions may be wrong with, so that all of them are right with `confidence`:
// one per halving of `commits`, and the last one.
[[nodiscard]] double error_of_decision(double confidence, std::size_t commits);

}  // namespace stepbench::bisect
