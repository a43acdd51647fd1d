// SPDX-License-Identifier: Apache-2.0
// Judges one series: compares the last builds with their level by the engine of `ab`, including the
// layout of builds in the error. Error rates: results/DECISIONS.md. Pure; any thread.
//
// Tonight's build decides nothing while it looks odd and has only its first pairs: these selected
// it, and a few slow launches may be all of them.
//
// A change is reported if it is beyond the margin both by Student's t and by the ranks of the last
// builds' pairs among those of the level. For noisy launches the ranks need a smaller error; if
// there are too few pairs for ranks, the change must be 3.5 standard errors beyond the margin.
//
// Level: the builds since the last reported change. Its value is taken twice: as the mean of its
// first 20 builds, which detects slow drift, and of the 20 before the last ones, which detects the
// loss of an unreported gain. Odd: the mean of the last 1 to 5 builds is one standard error beyond
// the margin. Reported: its confidence bound is. Fixed: it is below half of what was reported
// relative to the level before.
#pragma once

#include <algorithm>
#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "harness/nights/history.h"
#include "harness/nights/internal/night_rows.h"
#include "harness/nights/internal/pairs.h"
#include "harness/nights/internal/state.h"
#include "harness/verdict/pairs.h"

namespace stepbench::nights {

// The rule of a series, and the two programs of a night.

inline constexpr double kLayout = .005;  // until enough builds are measured
inline constexpr double kError = .006;   // error of a bound: 2.5 standard errors
inline constexpr double kNoisyCv = .02;  // launch CV above which small changes are found late
inline constexpr std::size_t kManySeries = 200;  // the error is divided for more series than this

struct JudgeRule {
  double margin = kMargin;  // the change that does not matter
  bool larger_is_better = false;
  bool has_layout = true;  // false: bytes and counts, which code layout does not affect
  double error = kError;
};
struct Tonight {
  std::string run = {};
  std::string run_utc = {};
  std::string build = {};
  std::string reference = {};
  std::string reference_run = {};  // the run that the reference program is from
  std::string environment = {};
};

// `spread`: standard deviation of a pair.
[[nodiscard]] bool is_noisy(double spread);
// `series`: number judged in a night.
[[nodiscard]] double error_of(std::size_t series);
[[nodiscard]] JudgeRule rule_of(const TrackedSeries& series, double margin,
                                std::size_t judged_series);

struct SeriesVerdict {
  NightState state = NightState::kNoVerdict;
  std::optional<Change> reported = {};  // tonight, in either direction
  bool grew = false;                    // `reported` is worse, and an alert was already open
  bool fixed = false;                   // the open change is fixed
  bool suspect = false;                 // it looks changed, given all pairs
  // Tonight's build relative to its level.
  std::optional<double> change = {};
  double low = 0;
  double high = 0;
  std::size_t pairs = 0;   // number used
  std::size_t builds = 0;  // builds of the level, including tonight's
  double layout = 0;       // standard deviation of a build; `spread` is that of a pair
  double spread = 0;
};

// Excess of the last builds over the margin, in standard errors; positive is worse. More pairs of
// the case are measured tonight if it is above 1. 0: looks unchanged. `pairs`: all of tonight.
[[nodiscard]] double deviation(SeriesState state, const Tonight& tonight, const SeriesPairs& pairs,
                               const JudgeRule& rule);

// Judges a night of a series and updates its state. With a new reference the rows start from
// scratch. Fewer than kMinPairs pairs change nothing else.
[[nodiscard]] SeriesVerdict judge(SeriesState& state, const Tonight& tonight,
                                  const SeriesPairs& pairs, const JudgeRule& rule);

void begin_reference(SeriesState& state, const Tonight& tonight, bool as_share = false);
// A user accepts the open change: the current level becomes the usual one.
void accept(SeriesState& state);

// The builds of a series for the engine of `ab`: levels, the difference of the last builds from
// them, and the contributions of launches and of code layout to the error. One thread.

inline constexpr std::size_t kBase = 20;   // builds that define a level
inline constexpr std::size_t kWindow = 5;  // last builds that are compared with it

// Standard deviation of a build's pairs, which a single wild one does not widen.
[[nodiscard]] double spread_of(const BuildRow& row);

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
  // Variance of the centre of a build's pairs.
  [[nodiscard]] double launches(const BuildRow& row) const;
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
