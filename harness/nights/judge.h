// SPDX-License-Identifier: Apache-2.0
// Judges one series: compares the last builds with their level by the engine of `ab`, including the
// layout of builds in the error. Error rates: results/DECISIONS.md. Pure; any thread.
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

// `spread`: standard deviation of a pair.
[[nodiscard]] bool is_noisy(double spread);
// `series`: number judged in a night.
[[nodiscard]] double error_of(std::size_t series);
[[nodiscard]] JudgeRule rule_of(const track::TrackedSeries& series, double margin,
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

}  // namespace stepbench::nights
