// SPDX-License-Identifier: Apache-2.0
// Cases that a history knew under two ids: records of merges, and checks for new ones. A run's
// launches keep the id they were measured under; its points move to the series of the other id.
// Pure; any thread.
#pragma once

#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "harness/nights/history.h"
#include "harness/nights/internal/event.h"

namespace stepbench::nights {

// An event without an alert: two cases are the same from here on; details: from, into, options.
inline constexpr std::string_view kMergedEvent = "merged";

struct MergedCase {
  std::string from = {};  // case ids
  std::string into = {};
  OptionValues options = {};  // options of `into`, as in TrackedSeries
};
[[nodiscard]] TrackEvent event_of(const MergedCase& merged, std::string reason);
[[nodiscard]] MergedCase merged_case(const TrackEvent& event);

class MergedCases {
 public:
  MergedCases() = default;
  // `events` must be in the order of recording. If the target of a merge is merged again, its
  // sources move with it; the last of merges back and forth wins.
  explicit MergedCases(std::span<const TrackEvent> events);

  [[nodiscard]] bool empty() const { return cases_.empty(); }
  // Returns the series that holds its points: itself, or one of the other case.
  [[nodiscard]] TrackedSeries standing(TrackedSeries series) const;
  [[nodiscard]] bool contains(std::string_view case_id) const { return cases_.contains(case_id); }

 private:
  std::map<std::string, MergedCase, std::less<>> cases_;  // key: `from`
};

// The effects of a merge.
struct CaseMerge {
  MergedCase merged = {};
  std::vector<FieldSplit> differ = {};  // options of the cases, `a` from `from`
  std::size_t series = 0;               // number that move, on all machines
  std::size_t from_nights = 0;
  std::size_t into_nights = 0;
  std::string from_first = {};  // 2026-01-31
  std::string from_last = {};
  std::string into_first = {};  // empty: no night yet
  std::string into_last = {};
  std::size_t among = 0;  // nights of one case that are between nights of the other
};
// `into` may have no series yet. Throws ConfigError if there is nothing to merge, if the cases do
// different work, or if both were measured in one run.
[[nodiscard]] CaseMerge plan_merge(const History& history, const MergedCase& merged);

// A series of the case whose id, or that of one of its series, begins with `word`. Throws
// ConfigError at `argument`.
[[nodiscard]] const TrackedSeries& case_meant(const History& history, const char* argument,
                                              const std::string& word);

}  // namespace stepbench::nights
