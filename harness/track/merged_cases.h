// SPDX-License-Identifier: Apache-2.0
// Cases that a history knew by two ids and that are one: what was said of them, and what may be.
// The launches of a run keep the id by which they were measured; its points stand in the series of
// the other one. Pure; any thread.
#pragma once

#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "harness/track/event.h"
#include "harness/track/history.h"
#include "harness/track/why_split.h"

namespace stepbench::track {

// An event without an alert: from here on two cases are one; details: from, into, options.
inline constexpr std::string_view kMergedEvent = "merged";

struct MergedCase {
  std::string from = {};  // case ids
  std::string into = {};
  OptionValues options = {};  // of `into`, as TrackedSeries has them
};
[[nodiscard]] TrackEvent event_of(const MergedCase& merged, std::string reason);
[[nodiscard]] MergedCase merged_case(const TrackEvent& event);

class MergedCases {
 public:
  MergedCases() = default;
  // In the order in which they were recorded. What was merged into a case that is merged again goes
  // with it; of a merge back and forth the last one counts.
  explicit MergedCases(std::span<const TrackEvent> events);

  [[nodiscard]] bool empty() const { return cases_.empty(); }
  // The series in which its points stand: itself, or one of the other case.
  [[nodiscard]] TrackedSeries standing(TrackedSeries series) const;
  [[nodiscard]] bool contains(std::string_view case_id) const { return cases_.contains(case_id); }

 private:
  std::map<std::string, MergedCase, std::less<>> cases_;  // by `from`
};

// What a merge would do.
struct CaseMerge {
  MergedCase merged = {};
  std::vector<FieldSplit> differ = {};  // options of the cases, `a` those of `from`
  std::size_t series = 0;               // that go over, on all machines
  std::size_t from_nights = 0;
  std::size_t into_nights = 0;
  std::string from_first = {};  // 2026-01-31
  std::string from_last = {};
  std::string into_first = {};  // empty: it has no night yet
  std::string into_last = {};
  std::size_t among = 0;  // nights of the one that lie between nights of the other
};
// `into` needs no series yet. Throws ConfigError where there is nothing to merge, for cases of
// other work, and for two that were measured in one run.
[[nodiscard]] CaseMerge plan_merge(const History& history, const MergedCase& merged);

}  // namespace stepbench::track
