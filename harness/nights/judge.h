// SPDX-License-Identifier: Apache-2.0
// What is told of one series: the last builds are held against their level by the engine of `ab`,
// with the layout of builds in the error. How often it is wrong: results/DECISIONS.md. Pure; any
// thread.
//
// What is told lies beyond the margin by Student's t, and by the ranks of the last builds' pairs
// among those of the level. Of launches that vary much the ranks have to be surer; where pairs are
// too few for ranks, it lies 3.5 standard errors beyond.
//
// Level: the builds since the last change that was told; its value is the mean of its first 20 and
// that of the 20 before the last ones (the one sees what creeps, the other the loss of a gain that
// was not told). Odd: the mean of the last 1 to 5 builds lies one standard error beyond the margin.
// Told: a bound of it does. Fixed: it lies below half of what was told of the level before.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>

#include "harness/nights/judge_rule.h"
#include "harness/nights/pairs.h"
#include "harness/nights/state.h"
#include "harness/track/night_rows.h"
#include "harness/track/series.h"

namespace stepbench::nights {

using track::NightState;

// `spread`: of a pair, a standard deviation.
[[nodiscard]] bool is_noisy(double spread);
// `series`: judged in a night.
[[nodiscard]] double error_of(std::size_t series);
[[nodiscard]] JudgeRule rule_of(const track::TrackedSeries& series, double margin,
                                std::size_t judged_series);

struct SeriesVerdict {
  NightState state = NightState::kNoVerdict;
  std::optional<Change> told = {};  // tonight, either way
  bool grew = false;                // `told` is worse, and an alert was open
  bool fixed = false;               // what was open
  bool odd = false;                 // it looks so, with all pairs
  // Of tonight's build against its level.
  std::optional<double> change = {};
  double low = 0;
  double high = 0;
  std::size_t pairs = 0;   // that count
  std::size_t builds = 0;  // of the level, with tonight's
  double layout = 0;       // standard deviations: of a build, of a pair
  double spread = 0;
};

// How far the last builds lie beyond the margin, in standard errors; worse is positive. Beyond 1
// more pairs of its case are measured this night. 0: it looks as usual. `pairs`: all of tonight so
// far.
[[nodiscard]] double oddness(SeriesState state, const Tonight& tonight, const SeriesPairs& pairs,
                             const JudgeRule& rule);

// Judges a night of a series and brings its state forward. Where the reference is another one, its
// rows begin anew. Fewer than kLeastPairs pairs change nothing else.
[[nodiscard]] SeriesVerdict judge(SeriesState& state, const Tonight& tonight,
                                  const SeriesPairs& pairs, const JudgeRule& rule);

void begin_reference(SeriesState& state, const Tonight& tonight, bool as_share = false);
// A person accepts what is open: the level is as it is.
void accept(SeriesState& state);

}  // namespace stepbench::nights
