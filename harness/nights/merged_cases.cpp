// SPDX-License-Identifier: Apache-2.0
#include "harness/nights/merged_cases.h"

#include <algorithm>
#include <set>
#include <utility>

#include "harness/base/error.h"
#include "harness/base/format.h"
#include "harness/nights/internal/schema.h"
#include "harness/text/words.h"

namespace stepbench::nights {
namespace {

constexpr std::size_t kDateLength = 10;  // date part of 2026-01-31T12:00:00Z

std::set<std::size_t> nights_of(const History& history, std::string_view case_id) {
  std::set<std::size_t> nights;
  for (const SeriesHistory& one : history.series) {
    if (one.series.case_id != case_id) continue;
    for (const TrackedPoint& point : one.points) nights.insert(point.run);
  }
  return nights;
}

const TrackedSeries* series_of_case(const History& history, std::string_view case_id) {
  const auto found = std::ranges::find_if(
      history.series, [&](const SeriesHistory& one) { return one.series.case_id == case_id; });
  return found == history.series.end() ? nullptr : &found->series;
}

std::size_t inside(const std::set<std::size_t>& nights, const std::set<std::size_t>& others) {
  if (nights.empty() || others.empty()) return 0;
  return static_cast<std::size_t>(std::ranges::count_if(nights, [&](std::size_t night) {
    return night > *others.begin() && night < *others.rbegin();
  }));
}

}  // namespace

TrackEvent event_of(const MergedCase& merged, std::string reason) {
  return {.what = std::string(kMergedEvent),
          .reason = std::move(reason),
          .details = {{"from", merged.from},
                      {"into", merged.into},
                      {"options", fields_json(Fields(merged.options))}}};
}

MergedCase merged_case(const TrackEvent& event) {
  return {.from = text_of(event.details, "from"),
          .into = text_of(event.details, "into"),
          .options = OptionValues(fields_from_json(text_of(event.details, "options")))};
}

MergedCases::MergedCases(std::span<const TrackEvent> events) {
  for (const TrackEvent& event : events) {
    if (event.what != kMergedEvent) continue;
    MergedCase merged = merged_case(event);
    cases_.erase(merged.into);  // prevents cycles
    std::string from = merged.from;
    cases_.insert_or_assign(std::move(from), std::move(merged));
  }
}

TrackedSeries MergedCases::standing(TrackedSeries series) const {
  auto found = cases_.find(series.case_id);
  if (found == cases_.end()) return series;
  for (; found != cases_.end(); found = cases_.find(series.case_id)) {
    series.case_id = found->second.into;
    series.options = found->second.options;
  }
  series.id = series_id(series);
  return series;
}

CaseMerge plan_merge(const History& history, const MergedCase& merged) {
  if (merged.from == merged.into) {
    throw ConfigError("case " + merged.from, "both names mean the same case");
  }
  const TrackedSeries* from = series_of_case(history, merged.from);
  if (from == nullptr) {
    throw ConfigError("case " + merged.from, "has no night in this history");
  }
  TrackedSeries like = *from;
  like.case_id = merged.into;
  like.options = merged.options;
  if (const TrackedSeries* into = series_of_case(history, merged.into)) {
    like.workload = into->workload;
  }
  like.id = series_id(like);
  CaseMerge plan{.merged = merged, .differ = identity_splits(*from, like)};
  if (like.workload != from->workload) {
    throw ConfigError("case " + merged.from,
                      formatted("measures {}, and case {} {}: they are two cases", from->workload,
                                merged.into, like.workload));
  }
  const std::set<std::size_t> from_nights = nights_of(history, merged.from);
  const std::set<std::size_t> into_nights = nights_of(history, merged.into);
  for (const std::size_t night : from_nights) {
    if (!into_nights.contains(night)) continue;
    throw ConfigError(
        formatted("cases {} and {}", merged.from, merged.into),
        formatted(
            "were both measured in run {}: they are two cases, and a night has one value of each",
            history.runs.at(night).run_id));
  }
  plan.series = static_cast<std::size_t>(std::ranges::count_if(
      history.series, [&](const SeriesHistory& one) { return one.series.case_id == merged.from; }));
  plan.from_nights = from_nights.size();
  plan.into_nights = into_nights.size();
  const auto date = [&](std::size_t night) {
    return history.runs.at(night).started_utc.substr(0, kDateLength);
  };
  plan.from_first = date(*from_nights.begin());
  plan.from_last = date(*from_nights.rbegin());
  if (!into_nights.empty()) {
    plan.into_first = date(*into_nights.begin());
    plan.into_last = date(*into_nights.rbegin());
  }
  plan.among = inside(from_nights, into_nights) + inside(into_nights, from_nights);
  return plan;
}

const TrackedSeries& case_meant(const History& history, const char* argument,
                                const std::string& word) {
  std::set<std::string> ids;
  const TrackedSeries* found = nullptr;
  for (const SeriesHistory& one : history.series) {
    const TrackedSeries& series = one.series;
    if (word.empty() || (!series.id.starts_with(word) && !series.case_id.starts_with(word))) {
      continue;
    }
    ids.insert(series.case_id);
    found = &series;
  }
  if (ids.size() == 1) return *found;
  throw ConfigError(
      argument, ids.empty() ? formatted("no series or case of this history begins with '{}'; "
                                        "`stepbench track list` shows them",
                                        word)
                            : formatted("'{}' begins the ids of {}: {}; give more digits", word,
                                        text::counted(std::ssize(ids), "case"), text::join(ids)));
}

}  // namespace stepbench::nights
