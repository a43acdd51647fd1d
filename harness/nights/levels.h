// SPDX-License-Identifier: Apache-2.0
// The builds of a series as the engine of `ab` sees them: levels, what the last builds differ from
// them by, and what launches and the layout of builds add to that. One thread.
#pragma once

#include <algorithm>
#include <cstddef>
#include <span>
#include <vector>

#include "harness/nights/judge_rule.h"
#include "harness/nights/state.h"
#include "harness/verdict/pairs.h"

namespace stepbench::nights {

inline constexpr std::size_t kBase = 20;   // builds that say what a level is
inline constexpr std::size_t kWindow = 5;  // the last ones that are held against it

using RowIndexes = std::vector<std::size_t>;

// The last builds against a level.
struct Held {
  verdict::Estimate difference = {};
  std::span<const std::size_t> latest = {};  // rows
  std::span<const std::size_t> usual = {};
};

class Levels {
 public:
  // `state` outlives this.
  Levels(SeriesState& state, const JudgeRule& rule) : state_(state), rule_(rule) {}

  // Tonight's build is the newest of the level. Of a build that was there before, in this night or
  // an earlier one, there is one row.
  void take(const Tonight& tonight, const std::vector<double>& pairs);
  // What no later night asks for.
  void forget();

  [[nodiscard]] RowIndexes rows(Level level) const;
  [[nodiscard]] std::vector<verdict::Estimate> estimates(std::span<const std::size_t> rows) const;

  // How many of the last builds `is` true of, held against the level as it began and as it was
  // last; 0: of none. `other`: another level than theirs.
  template <typename Is>
  [[nodiscard]] std::size_t last(const RowIndexes& other, const Is& is) const {
    const RowIndexes now = rows(Level::kNow);
    for (std::size_t last = 1; last <= kWindow && last < now.size(); ++last) {
      const std::span<const std::size_t> latest = std::span(now).last(last);
      const std::span<const std::size_t> all =
          other.empty() ? std::span(now).first(now.size() - last) : std::span(other);
      const std::size_t n = std::min(all.size(), kBase);
      if (is(held(latest, all.first(n)))) return last;
      if (n < all.size() && is(held(latest, all.last(n)))) return last;
    }
    return 0;
  }

  // The lower bound of how far the pairs of the last builds lie from those of the level, of which
  // the reference has none; `sign` -1: how far below. Not finite where they are too few. Ranks know
  // no layout.
  [[nodiscard]] double ranks_low(const Held& held, double sign, double error) const;

  // Standard deviations: of a build, of a pair.
  [[nodiscard]] double layout() const { return layout_; }
  [[nodiscard]] double spread() const { return spread_.sd; }

 private:
  [[nodiscard]] verdict::Estimate estimate(const BuildRow& row, double layout) const;
  [[nodiscard]] Held held(std::span<const std::size_t> latest,
                          std::span<const std::size_t> usual) const;
  [[nodiscard]] std::vector<double> pairs_of(std::span<const std::size_t> rows, double sign) const;
  void learn();

  SeriesState& state_;
  const JudgeRule& rule_;
  verdict::PairSpread spread_ = {};
  double layout_ = 0;
};

}  // namespace stepbench::nights
