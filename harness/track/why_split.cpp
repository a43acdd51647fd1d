// SPDX-License-Identifier: Apache-2.0
#include "harness/track/why_split.h"

#include <algorithm>
#include <set>

namespace stepbench::track {
namespace {

void add_split(std::vector<FieldSplit>& splits, const std::string& field, const std::string& a,
               const std::string& b) {
  if (a != b) splits.push_back({field, a, b});
}

std::vector<FieldSplit> field_splits(const Fields& a, const Fields& b,
                                     std::string_view absent = "-") {
  std::set<std::string> names;
  for (const auto& [name, value] : a) names.insert(name);
  for (const auto& [name, value] : b) names.insert(name);
  std::vector<FieldSplit> splits;
  for (const std::string& name : names) {
    add_split(splits, name, stepbench::text_of(a, name, absent),
              stepbench::text_of(b, name, absent));
  }
  return splits;
}

const Fields& fields_of_cohort(const History& history, const std::string& id) {
  static const Fields kNone;
  const auto found = std::find_if(history.cohorts.begin(), history.cohorts.end(),
                                  [&](const Cohort& cohort) { return cohort.id == id; });
  return found == history.cohorts.end() ? kNone : found->fields;
}

}  // namespace

std::vector<FieldSplit> identity_splits(const TrackedSeries& a, const TrackedSeries& b) {
  std::vector<FieldSplit> splits;
  if (a.id == b.id) return splits;
  add_split(splits, "workload", a.workload, b.workload);
  add_split(splits, "metric", a.metric, b.metric);
  const std::size_t before = splits.size();
  for (FieldSplit& split : field_splits(Fields(a.options), Fields(b.options), "default")) {
    if (a.case_id != b.case_id) splits.push_back(std::move(split));
  }
  // The case ids differ in options that the cases' names do not show.
  if (splits.size() == before) add_split(splits, "case_id", a.case_id, b.case_id);
  for (FieldSplit& split : field_splits(a.machine, b.machine)) splits.push_back(std::move(split));
  return splits;
}

std::vector<FieldSplit> cohort_splits(const History& history, const std::string& a,
                                      const std::string& b) {
  return field_splits(fields_of_cohort(history, a), fields_of_cohort(history, b));
}

std::vector<SegmentBegin> segment_begins(const History& history, const SeriesHistory& series) {
  std::vector<SegmentBegin> changes;
  for (std::size_t i = 1; i < series.points.size(); ++i) {
    const std::string& before = series.points[i - 1].cohort;
    const std::string& after = series.points[i].cohort;
    if (before == after) continue;
    changes.push_back({series.points[i].run, cohort_splits(history, before, after)});
  }
  return changes;
}

}  // namespace stepbench::track
