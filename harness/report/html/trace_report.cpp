// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstddef>
#include <filesystem>
#include <iterator>
#include <optional>
#include <utility>

#include "harness/report/analysis_diff.h"
#include "harness/report/analysis_report.h"
#include "harness/report/html/analysis_charts.h"
#include "harness/report/html/report.h"
#include "harness/text/words.h"

namespace stepbench::report {
namespace {

constexpr std::size_t kRows = 200;  // of each table; the data has all

// Of the place-th trace or pair of a page: its ids end in "-2", "-3".
std::string id_suffix(std::size_t place) {
  return place == 0 ? "" : "-" + std::to_string(place + 1);
}

// What is said, its charts, then the tables behind it.
void add_document(document::Document document, std::size_t place,
                  std::optional<document::Chapter> charts, ReportContent& content) {
  if (place == 0) content.answer = document.answer;
  document::Chapter& overview = document.chapters.front();
  overview.blocks.insert(overview.blocks.begin(), document::Paragraph{document.headline});
  if (place > 0) overview.title = document.headline;
  for (document::Chapter& chapter : document.chapters) {
    const bool first = &chapter == &overview;
    chapter.id += id_suffix(place);
    if (!chapter.blocks.empty()) content.sections.push_back(std::move(chapter));
    if (first && charts) content.sections.push_back(std::move(*charts));
  }
}

// An element of the array of data.
void add_data(std::string json, ReportContent& content) {
  while (json.ends_with('\n')) json.pop_back();
  content.data += (content.data.empty() ? "[" : ",") + json;
}

}  // namespace

ReportContent analysis_content(std::span<const AnalysedTrace> traces, const DrawOptions& /*draw*/) {
  ReportContent content{.kind = "analysis", .title = "Trace", .sections = {}};
  std::int64_t steps = 0;
  for (std::size_t i = 0; i < traces.size(); ++i) {
    const std::string name =
        i == 0 ? "" : std::filesystem::path(traces[i].path).filename().string();
    add_document(analysis_document(traces[i], kRows), i,
                 trace_section(traces[i], "steps" + id_suffix(i), name), content);
    add_data(analysis_json(traces[i], 0), content);
    steps += std::ssize(traces[i].analysis.steps.counted());
  }
  content.data += traces.empty() ? "[]" : "]";
  std::ranges::move(rank_sections(traces), std::back_inserter(content.sections));
  if (!traces.empty()) {
    content.title = std::filesystem::path(traces.front().path).filename().string();
    if (traces.size() > 1) {
      content.title += " and " + text::counted(std::ssize(traces) - 1, "other trace");
    }
  }
  content.summary =
      text::counted(std::ssize(traces), "trace") + ", " + text::counted(steps, "step");
  content.measured = steps > 0;
  return content;
}

ReportContent diff_content(std::span<const analyze::TraceDiff> diffs, const DrawOptions& /*draw*/) {
  ReportContent content{.kind = "analysis", .title = "What changed between traces", .sections = {}};
  for (std::size_t i = 0; i < diffs.size(); ++i) {
    add_document(diff_document(diffs[i], kRows), i,
                 diff_section(diffs[i], "changes" + id_suffix(i)), content);
    add_data(diff_json(diffs[i], 0), content);
  }
  content.data += diffs.empty() ? "[]" : "]";
  content.summary = text::counted(std::ssize(diffs), "comparison") + " of traces";
  content.measured = std::any_of(diffs.begin(), diffs.end(),
                                 [](const analyze::TraceDiff& diff) { return diff.comparable(); });
  return content;
}

}  // namespace stepbench::report
