// SPDX-License-Identifier: Apache-2.0
// Which points of a series may be set beside each other. A screen sees one segment; windows count
// its points, not days, and nothing is filled in where a night is missing. Pure; any thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "harness/base/enum_names.h"
#include "harness/track/history.h"

namespace stepbench::track {

enum class SegmentStart : std::uint8_t {
  kFirst,     // the series begins
  kCohort,    // driver, torch, kernel, ... changed
  kFixed,     // an alert was fixed in this run
  kBaseline,  // somebody accepted this run as what is usual from now on
  kTold       // a change that began in this run was measured and told, or accepted
};
constexpr EnumNames<5> names_of(SegmentStart) {
  return {"first", "cohort", "fixed", "baseline", "told"};
}

// A new segment begins with this run or, where the series has no point of it, with its next point.
// Runs that the history does not have break nothing.
struct SegmentBreak {
  std::string run_id = {};
  SegmentStart why = SegmentStart::kFixed;
};

struct Segment {
  SegmentStart why = SegmentStart::kFirst;
  std::string cohort = {};               // Cohort::id
  std::vector<std::size_t> points = {};  // indexes into SeriesHistory::points, ascending
};

// A cohort that comes back within so many points goes on with its segment: a driver that was rolled
// back, two machines of one kind that take turns.
inline constexpr std::size_t kMaxPointsAway = 14;

enum class Environments : std::uint8_t { kApart, kTogether };

// In the order of their first points; each finite point is in exactly one. A point that is not
// finite is a night without a point.
[[nodiscard]] std::vector<Segment> segments_of(const SeriesHistory& series,
                                               std::span<const TrackedRun> runs,
                                               std::span<const SegmentBreak> breaks = {},
                                               Environments environments = Environments::kApart);

[[nodiscard]] std::vector<double> values_of(const SeriesHistory& series, const Segment& segment);

// So many nights without a point, and a series has the state no-data.
inline constexpr std::size_t kMaxMissingNights = 14;
// Dates (UTC) up to that of `tonight`, an index into `runs`, on which the series' experiment ran
// after the newest finite point of the series; several runs of one date count once. All dates if it
// has no point.
[[nodiscard]] std::size_t missing_nights(const SeriesHistory& series,
                                         std::span<const TrackedRun> runs, std::size_t tonight);

}  // namespace stepbench::track
