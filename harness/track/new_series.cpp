// SPDX-License-Identifier: Apache-2.0
#include "harness/track/new_series.h"

#include <algorithm>
#include <set>
#include <tuple>

#include "harness/text/words.h"

namespace stepbench::track {
namespace {

constexpr std::size_t kMaxNewSeriesNotes = 3;
constexpr std::size_t kMaxDifferencesShown = 4;
constexpr std::size_t kIdDigits = 8;

struct Known {
  const SeriesHistory* series = nullptr;
  std::vector<FieldSplit> differ = {};
  bool tonight = false;  // has a point tonight
};

// Fewest differences; among equals a series that ended, then the longest.
bool is_nearer(const Known& a, const Known& b) {
  const auto key = [](const Known& one) {
    return std::tuple(one.differ.size(), one.tonight, -std::ssize(one.series->points));
  };
  return b.series == nullptr || key(a) < key(b);
}

bool runs(const History& history, std::span<const std::string> tonight,
          const SeriesHistory& series) {
  if (series.points.empty()) return false;
  const std::string& last = history.runs.at(series.points.back().run).run_id;
  return std::ranges::find(tonight, last) != tonight.end();
}

bool is_new(const History& history, std::span<const std::string> tonight,
            const SeriesHistory& series) {
  return series.points.size() == 1 && runs(history, tonight, series);
}

Known nearest(const History& history, std::span<const std::string> tonight,
              const SeriesHistory& fresh) {
  Known found;
  for (const SeriesHistory& one : history.series) {
    if (one.series.metric != fresh.series.metric || one.points.empty()) continue;
    if (is_new(history, tonight, one)) continue;
    Known known{.series = &one,
                .differ = identity_splits(one.series, fresh.series),
                .tonight = runs(history, tonight, one)};
    if (is_nearer(known, found)) found = std::move(known);
  }
  return found;
}

std::string difference_text(const std::vector<FieldSplit>& differ) {
  std::vector<std::string> parts;
  for (std::size_t i = 0; i < std::min(differ.size(), kMaxDifferencesShown); ++i) {
    parts.push_back(differ[i].field + " (" + differ[i].a + " -> " + differ[i].b + ')');
  }
  if (differ.size() > kMaxDifferencesShown) {
    parts.push_back(std::to_string(differ.size() - kMaxDifferencesShown) + " more");
  }
  return text::join_and(parts);
}

std::string note_of(const SeriesHistory& fresh, const Known& known) {
  const std::string id = fresh.series.id.substr(0, kIdDigits);
  const std::string other = known.series->series.id.substr(0, kIdDigits);
  std::string note = "series " + id + " is new: " + other + " (" +
                     text::counted(std::ssize(known.series->points), "night") +
                     ") is the most similar one, and differs in " + difference_text(known.differ);
  if (!known.tonight && known.series->series.machine == fresh.series.machine) {
    note += "; if they are the same case: `stepbench track merge " + other + ' ' + id + '`';
  }
  return note;
}

}  // namespace

std::vector<std::string> new_series_notes(const History& history,
                                          std::span<const std::string> tonight) {
  std::vector<std::string> notes;
  std::size_t more = 0;
  for (const SeriesHistory& one : history.series) {
    if (one.series.metric != kStepSeries || one.series.control) continue;
    if (!is_new(history, tonight, one)) continue;
    const Known known = nearest(history, tonight, one);
    if (known.series == nullptr) continue;
    if (notes.size() < kMaxNewSeriesNotes) {
      notes.push_back(note_of(one, known));
    } else {
      ++more;
    }
  }
  if (more > 0) {
    notes.push_back(std::to_string(more) + " more series are new");
  }
  return notes;
}

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
