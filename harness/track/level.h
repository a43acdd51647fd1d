// SPDX-License-Identifier: Apache-2.0
// Which earlier points a point is held against, and which program: those of its level. Each change
// that was told starts a level at once, also while its alert is open, and so do an acceptance, a
// baseline and another environment: nothing that happens to an alert makes a series deaf. Nights of
// a suspicion that is not decided are no part of a level, nor those of a regression that was fixed.
// Pure; any thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "harness/track/alert.h"
#include "harness/track/history.h"
#include "harness/track/segments.h"

namespace stepbench::track {

inline constexpr std::size_t kLevelPoints = 120;  // of a level, the newest: no screen takes more

// Run id -> when it was measured. Times are UTC texts: they sort as they are.
using RunTimes = std::map<std::string, std::string, std::less<>>;
[[nodiscard]] RunTimes run_times(std::span<const TrackedRun> runs);

struct LevelFacts {
  struct Span {
    std::string from = {};   // the first point that is left out
    std::string until = {};  // the first that is not; empty: none yet
  };
  std::map<std::string, std::vector<SegmentBreak>, std::less<>> begins = {};  // by series id
  std::map<std::string, std::vector<Span>, std::less<>> left_out = {};        // by series id
  // By host and experiment.
  std::map<std::pair<std::string, std::string>, std::vector<SegmentBreak>> baselines = {};
};

[[nodiscard]] LevelFacts level_facts(const AlertLog& log, std::span<const TrackEvent> events,
                                     const RunTimes& times);

struct SeriesLevel {
  // Indexes of its points before point `at`, oldest first, at most kLevelPoints.
  std::vector<std::size_t> points = {};
  SegmentStart why = SegmentStart::kFirst;  // it began
  // Indexes of the points whose programs stand for it, the best first: what tonight's program is
  // held against where points are too few. After another environment those before it: what was
  // usual there is what the program did.
  std::vector<std::size_t> pins = {};
};
// Another environment begins a level of what was measured in its units. Ratios of programs that ran
// in the same night go on over it.
enum class LevelOf : std::uint8_t { kValues, kRatios };
[[nodiscard]] SeriesLevel level_of(const SeriesHistory& series, std::size_t at,
                                   const History& history, const LevelFacts& facts,
                                   LevelOf of = LevelOf::kValues);

}  // namespace stepbench::track
