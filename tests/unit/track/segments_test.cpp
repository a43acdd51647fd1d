// SPDX-License-Identifier: Apache-2.0
#include "harness/track/segments.h"

#include <gtest/gtest.h>

#include <limits>
#include <string>
#include <vector>

namespace stepbench::track {
namespace {

// One run a night: n0 on 1 January, n1 on 2 January, ...
std::vector<TrackedRun> nightly_runs(std::size_t count) {
  std::vector<TrackedRun> runs(count);
  for (std::size_t i = 0; i < count; ++i) {
    const std::string day = std::to_string(i % 28 + 1);
    runs[i].run_id = "n" + std::to_string(i);
    runs[i].started_utc = "2026-0" + std::to_string(i / 28 + 1) + "-" +
                          (day.size() == 1 ? "0" : "") + day + "T02:00:00Z";
    runs[i].experiment = "nightly";
  }
  return runs;
}

// A point of each night; `cohorts` has a letter for each, '.' for a night without one, '?' for one
// that is not a number.
SeriesHistory series_of(const std::string& cohorts) {
  SeriesHistory history;
  history.series.experiment = "nightly";
  for (std::size_t i = 0; i < cohorts.size(); ++i) {
    if (cohorts[i] == '.') continue;
    const bool finite = cohorts[i] != '?';
    history.points.push_back(
        {.run = i,
         .value = finite ? static_cast<double>(i) : std::numeric_limits<double>::quiet_NaN(),
         .cohort = std::string(1, cohorts[i])});
  }
  return history;
}

// "first a 0 1 2 | cohort b 3"
std::string text(const SeriesHistory& series, const std::vector<Segment>& segments) {
  std::string all;
  for (const Segment& segment : segments) {
    if (!all.empty()) all += " | ";
    all += std::string(name_of(segment.why)) + " " + segment.cohort;
    for (const double value : values_of(series, segment)) {
      all += " " + std::to_string(static_cast<int>(value));
    }
  }
  return all;
}

std::string segmented(const std::string& cohorts, const std::vector<SegmentBreak>& breaks = {}) {
  const SeriesHistory series = series_of(cohorts);
  return text(series, segments_of(series, nightly_runs(cohorts.size()), breaks));
}

TEST(Segments, BeginWithCohortsFixesAndBaselines) {
  struct Row {
    std::string cohorts;
    std::vector<SegmentBreak> breaks;
    std::string expected;
  };
  const auto fixed = SegmentStart::kFixed;
  const auto baseline = SegmentStart::kBaseline;
  for (const Row& row : std::vector<Row>{
           {"", {}, ""},
           {"aaa", {}, "first a 0 1 2"},
           {"aabb", {}, "first a 0 1 | cohort b 2 3"},
           {"aabbaab", {}, "first a 0 1 4 5 | cohort b 2 3 6"},  // it comes back soon
           {"a.a?..a", {}, "first a 0 2 6"},
           {"aaaa", {{"n2", fixed}}, "first a 0 1 | fixed a 2 3"},
           {"aaaaa", {{"n3", baseline}, {"n1", fixed}}, "first a 0 | fixed a 1 2 | baseline a 3 4"},
           // A break in a night without a point holds for the next one.
           {"aa.a", {{"n2", fixed}}, "first a 0 1 | fixed a 3"},
           {"aaa", {{"other", fixed}}, "first a 0 1 2"},
           {"aa", {{"n0", baseline}}, "first a 0 1"},
           {"aabbaa",
            {{"n3", baseline}},
            "first a 0 1 | cohort b 2 | baseline b 3 | cohort a 4 5"}}) {
    EXPECT_EQ(segmented(row.cohorts, row.breaks), row.expected) << row.cohorts;
  }
  EXPECT_EQ(segmented("ab" + std::string(kMaxPointsAway - 1, 'b') + "a").substr(0, 13),
            "first a 0 15 ");
  EXPECT_EQ(segmented("ab" + std::string(kMaxPointsAway, 'b') + "a").substr(0, 10), "first a 0 ");
}

TEST(MissingNights, CountsDatesOnWhichTheExperimentRan) {
  std::vector<TrackedRun> runs = nightly_runs(20);
  const SeriesHistory series = series_of("aaa" + std::string(17, '.'));
  EXPECT_EQ(missing_nights(series, runs, 2), 0u);
  EXPECT_EQ(missing_nights(series, runs, 3), 1u);
  EXPECT_EQ(missing_nights(series, runs, 19), 17u);
  runs[4].started_utc = runs[3].started_utc;
  EXPECT_EQ(missing_nights(series, runs, 19), 16u) << "two runs of one date";
  runs[5].experiment = "another";
  EXPECT_EQ(missing_nights(series, runs, 19), 15u);
  EXPECT_EQ(missing_nights(series_of("aa??"), nightly_runs(4), 3), 2u);
  EXPECT_EQ(missing_nights(series_of("????"), nightly_runs(4), 3), 4u);
}

}  // namespace
}  // namespace stepbench::track
