// SPDX-License-Identifier: Apache-2.0
// Why points that people take for one series are two, or why a series begins anew. Pure; any
// thread.
#pragma once

#include <string>
#include <vector>

#include "harness/track/history.h"

namespace stepbench::track {

struct FieldSplit {
  std::string field = {};  // "cpu.model", "torch", "loader.num_workers", "metric"
  std::string a = {};      // "-" for none, "default" for an option that was not set
  std::string b = {};
};

// What makes the two ids differ, options of their cases spelt out. Nothing for one series.
[[nodiscard]] std::vector<FieldSplit> identity_splits(const TrackedSeries& a,
                                                      const TrackedSeries& b);

// Of two cohorts by their ids; one that the history does not have is empty.
[[nodiscard]] std::vector<FieldSplit> cohort_splits(const History& history, const std::string& a,
                                                    const std::string& b);

// Where a series changes its cohort.
struct SegmentBegin {
  std::size_t run = 0;  // the first night after it: index into History::runs
  std::vector<FieldSplit> fields = {};
};
[[nodiscard]] std::vector<SegmentBegin> segment_begins(const History& history,
                                                       const SeriesHistory& series);

}  // namespace stepbench::track
