// SPDX-License-Identifier: Apache-2.0
// The builds of a series for the engine of `ab`: levels, the difference of the last builds from
// them, and the contributions of launches and of code layout to the error. One thread.
#pragma once

#include <algorithm>
#include <cstddef>
#include <span>
#include <vector>

#include "harness/nights/judge_rule.h"
#include "harness/nights/state.h"
#include "harness/verdict/pairs.h"

namespace stepbench::nights {

inline constexpr std::size_t kBase = 20;   // builds that define a level
inline constexpr std::size_t kWindow = 5;  // last builds that are compared with it

using RowIndexes = std::vector<std::size_t>;

struct LevelComparison {
  verdict::Estimate difference = {};
  std::span<const std::size_t> latest = {};  // indices of rows
  std::span<const std::size_t> usual = {};
};

class Levels {
 public:
  // `state` must outlive this object.
  Levels(SeriesState& state, const JudgeRule& rule) : state_(state), rule_(rule) {}

  // Adds tonight's build as the newest of the level. A build that was measured before, tonight or
  // earlier, keeps a single row.
  void take(const Tonight& tonight, const std::vector<double>& pairs);
  // Removes data that no later night needs.
  void forget();

  [[nodiscard]] RowIndexes rows(Level level) const;
  [[nodiscard]] std::vector<verdict::Estimate> estimates(std::span<const std::size_t> rows) const;

  // Returns the smallest number of last builds for which `is` returns true, compared with the
  // beginning and with the end of the level; 0: none. `other`: compares with another level instead.
  template <typename Is>
  [[nodiscard]] std::size_t last(const RowIndexes& other, const Is& is) const {
    const RowIndexes now = rows(Level::kNow);
    for (std::size_t last = 1; last <= kWindow && last < now.size(); ++last) {
      const std::span<const std::size_t> latest = std::span(now).last(last);
      const std::span<const std::size_t> all =
          other.empty() ? std::span(now).first(now.size() - last) : std::span(other);
      const std::size_t n = std::min(all.size(), kBase);
      if (is(comparison(latest, all.first(n)))) return last;
      if (n < all.size() && is(comparison(latest, all.last(n)))) return last;
    }
    return 0;
  }

  // Lower bound of the shift between the pairs of the last builds and those of the level; the
  // reference has no pairs of its own. `sign` -1: bound of the shift downwards. Not finite if there
  // are too few pairs. Ranks do not account for layout.
  [[nodiscard]] double ranks_low(const LevelComparison& comparison, double sign,
                                 double error) const;

  // Standard deviations: layout() of a build, spread() of a pair.
  [[nodiscard]] double layout() const { return layout_; }
  [[nodiscard]] double spread() const { return spread_.sd; }

 private:
  [[nodiscard]] verdict::Estimate estimate(const BuildRow& row, double layout) const;
  [[nodiscard]] LevelComparison comparison(std::span<const std::size_t> latest,
                                           std::span<const std::size_t> usual) const;
  [[nodiscard]] std::vector<double> pairs_of(std::span<const std::size_t> rows, double sign) const;
  void learn();

  SeriesState& state_;
  const JudgeRule& rule_;
  verdict::PairSpread spread_ = {};
  double layout_ = 0;
};

}  // namespace stepbench::nights
