// SPDX-License-Identifier: Apache-2.0
// Tonight's new series with the most similar known series, and why points that seem to belong to
// one series form two, or a series begins a new segment. Pure; any thread.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "harness/track/history.h"

namespace stepbench::track {

// `tonight`: ids of tonight's runs.
[[nodiscard]] std::vector<std::string> new_series_notes(const History& history,
                                                        std::span<const std::string> tonight);

struct FieldSplit {
  std::string field = {};  // "cpu.model", "torch", "loader.num_workers", "metric"
  std::string a = {};      // "-": none; "default": option not set
  std::string b = {};
};

// Differences between the series' ids, with case options spelled out. Empty for one series.
[[nodiscard]] std::vector<FieldSplit> identity_splits(const TrackedSeries& a,
                                                      const TrackedSeries& b);

// Compares two cohorts by id; one that is not in the history counts as empty.
[[nodiscard]] std::vector<FieldSplit> cohort_splits(const History& history, const std::string& a,
                                                    const std::string& b);

// A change of cohort within a series.
struct SegmentBegin {
  std::size_t run = 0;  // first night after it: index into History::runs
  std::vector<FieldSplit> fields = {};
};
[[nodiscard]] std::vector<SegmentBegin> segment_begins(const History& history,
                                                       const SeriesHistory& series);

}  // namespace stepbench::track
