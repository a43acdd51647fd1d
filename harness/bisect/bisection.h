// SPDX-License-Identifier: Apache-2.0
// What a search measures, comparison by comparison, and what it has found: the ends, then commits
// against the good end, then the culprit against the commit before it with fresh pairs, then what
// came after it. It is right with the stated confidence where one commit made the whole change, and
// says so where it cannot tell. results/bisect_simulation.md has how often. Pure; one thread.
#pragma once

#include <cstddef>
#include <limits>
#include <optional>
#include <vector>

#include "harness/base/enum_names.h"
#include "harness/bisect/search.h"
#include "harness/bisect/sequential_test.h"

namespace stepbench::bisect {

struct SearchStep {
  enum class Kind { kEnds, kCommit, kCulprit, kRest };
  Kind kind = Kind::kEnds;
  std::size_t base = 0;  // places of commits, 0 is the good end
  std::size_t candidate = 0;
};
constexpr EnumNames<4> names_of(SearchStep::Kind) { return {"ends", "commit", "culprit", "rest"}; }

enum class SearchAnswer {
  kOpen,           // there is a next step
  kFound,          // bad() is the culprit
  kRange,          // it is behind good() up to bad(): those between could not be judged
  kNotReproduced,  // the bad end is not slower
  kContradicted,   // fresh pairs of the last two commits do not differ: nothing is known of either
};
constexpr EnumNames<5> names_of(SearchAnswer) {
  return {"open", "found", "range", "not_reproduced", "contradicted"};
}

class Bisection {
 public:
  // `last`: the place of the bad end, at least 1. `confidence`: of the answer, below 1. `size`: the
  // log ratio of the step that is looked for, where it may be smaller than what lies between the
  // ends.
  Bisection(std::size_t last, double confidence,
            double size = std::numeric_limits<double>::infinity());

  // nullopt: answer() is final.
  [[nodiscard]] std::optional<SearchStep> next() const;
  // Whether the step that next() gave needs no more pairs. Asked after each block.
  [[nodiscard]] bool is_enough(LogRatios log_ratios) const;
  // Its end.
  void take(LogRatios log_ratios);
  // The same of kCommit, where something else than log ratios told it: the spread learns nothing.
  void take_side(Side side);
  // Its candidate could not be built or measured. Only of kCommit; of others it is for the caller
  // to give up.
  void leave_out();

  // Commits that may have to be judged: the next one first, at most so many.
  [[nodiscard]] std::vector<std::size_t> ahead(std::size_t most) const {
    return search_.ahead(most);
  }

  [[nodiscard]] SearchAnswer answer() const;
  [[nodiscard]] std::size_t good() const { return search_.good(); }
  [[nodiscard]] std::size_t bad() const { return search_.bad(); }
  [[nodiscard]] const Ends& ends() const { return ends_; }
  [[nodiscard]] const Ends& culprit() const { return culprit_; }  // by fresh pairs alone
  // The bad end against the culprit; nullopt: not measured, or the culprit is the bad end.
  [[nodiscard]] const std::optional<Ends>& rest() const { return rest_; }
  [[nodiscard]] Side side(LogRatios log_ratios) const;  // of a commit, as known now

 private:
  std::size_t last_;
  double error_;
  double size_;
  Search search_;
  PooledSpread spread_ = {};
  bool ends_done_ = false;
  Ends ends_ = {};
  std::optional<Side> culprit_side_ = {};
  Ends culprit_ = {};
  std::optional<Ends> rest_ = {};
};

}  // namespace stepbench::bisect
