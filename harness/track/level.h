// SPDX-License-Identifier: Apache-2.0
// Which earlier points a point is held against: those of its level. A level ends where the
// environment changed, where somebody said so (a baseline, an accepted change), and where an
// improvement or a change of the environment was found. Points of a regression, open or fixed, are
// no part of it. Pure; any thread.
#pragma once

#include <cstddef>
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

// `without`: the id of an alert that is to be taken as if it had never been.
[[nodiscard]] LevelFacts level_facts(const AlertLog& log, std::span<const TrackEvent> events,
                                     const RunTimes& times, std::string_view without = {});

// Indexes of the points of that level before point `at`, oldest first, at most kLevelPoints.
[[nodiscard]] std::vector<std::size_t> level_before(const SeriesHistory& series, std::size_t at,
                                                    const History& history,
                                                    const LevelFacts& facts);

}  // namespace stepbench::track
