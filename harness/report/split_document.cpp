// SPDX-License-Identifier: Apache-2.0
#include "harness/report/split_document.h"

#include <iterator>
#include <string>
#include <utility>
#include <vector>

#include "harness/text/words.h"
#include "harness/track/why_split.h"

namespace stepbench::report {
namespace {

document::Table splits_table(std::string title, const std::vector<track::FieldSplit>& splits,
                             const std::string& a, const std::string& b) {
  document::Table table{
      .title = std::move(title),
      .columns = {document::words("field"),
                  {.head = a, .left = true, .shrink_at = 2, .shrink_inside = true},
                  {.head = b, .left = true, .shrink_at = 1, .shrink_inside = true}}};
  for (const track::FieldSplit& split : splits) {
    table.rows.push_back({.cells = {split.field, split.a, split.b}});
  }
  return table;
}

}  // namespace

document::Document series_split_document(const track::SeriesHistory& a,
                                         const track::SeriesHistory& b,
                                         const track::History& newest) {
  constexpr std::size_t kIdDigits = 8;
  const std::string short_a = a.series.id.substr(0, kIdDigits);
  const std::string short_b = b.series.id.substr(0, kIdDigits);
  const std::vector<track::FieldSplit> differ = track::identity_splits(a.series, b.series);
  const auto fields = text::join(differ, ", ", [](const auto& split) { return split.field; });
  document::Chapter chapter{.id = "split", .title = "Why they are split", .blocks = {}};
  chapter.blocks.emplace_back(splits_table("what makes them two series", differ, short_a, short_b));
  chapter.blocks.emplace_back(
      splits_table("their last nights also differ in what begins a new segment",
                   track::cohort_splits(newest, a.points.back().cohort, b.points.back().cohort),
                   short_a, short_b));
  return {.answer = {.text = "two series, because they differ in " + fields},
          .chapters = {std::move(chapter)}};
}

document::Document segments_document(const track::SeriesHistory& series,
                                     const track::History& history) {
  const std::vector<track::SegmentBegin> begins = track::segment_begins(history, series);
  const std::string nights = text::counted(std::ssize(series.points), "night");
  if (begins.empty()) {
    return {.answer = {.text = "one segment of " + nights + ": its environment is the same"}};
  }
  document::Chapter chapter{.id = "segments", .title = "Segments", .blocks = {}};
  for (const track::SegmentBegin& begin : begins) {
    chapter.blocks.emplace_back(
        splits_table("a new segment begins with " + history.runs[begin.run].run_id, begin.fields,
                     "before", "from then on"));
  }
  return {.answer = {.text = std::to_string(begins.size() + 1) + " segments in " + nights +
                             ": the environment changed"},
          .chapters = {std::move(chapter)}};
}

}  // namespace stepbench::report
