// SPDX-License-Identifier: Apache-2.0
#include <set>
#include <utility>

#include "harness/report/history_export.h"
#include "harness/report/html/history_charts.h"
#include "harness/report/html/report.h"
#include "harness/report/series_names.h"
#include "harness/text/utc.h"
#include "harness/text/words.h"

namespace stepbench::report {
namespace {

// What the nights measured, and the newest value of each series.
document::Chapter history_overview(const track::History& history) {
  document::Chapter section{.id = "overview", .title = "Overview", .blocks = {}};
  if (history.runs.empty()) {
    section.blocks.push_back(document::Paragraph{.text = "There is no night in this history.",
                                                 .tone = document::Tone::kBad});
    return section;
  }
  std::set<std::string> hosts;
  for (const track::TrackedRun& run : history.runs) hosts.insert(run.host);
  section.blocks.push_back(document::Paragraph{
      .text = text::counted(std::ssize(history.runs), "night") + " on " +
              text::join_and(std::vector<std::string>(hosts.begin(), hosts.end())) + ", " +
              text::minute_text(history.runs.front().started_utc) + " to " +
              text::minute_text(history.runs.back().started_utc)});
  const SeriesNames names(history);
  document::Table table{.title = "Series, with the value of their last night",
                        .columns = {document::words("series"),
                                    document::words("case"),
                                    document::words("metric"),
                                    {.head = "nights"},
                                    document::words("last night"),
                                    {.head = "value"}},
                        .rows = {}};
  for (const track::SeriesHistory& each : history.series) {
    if (each.points.empty()) continue;
    const track::TrackedPoint& last = each.points.back();
    table.rows.push_back(
        {.cells = {names.short_id(each.series.id),
                   names.case_name(each.series),
                   metric_label(each.series.metric),
                   {std::to_string(each.points.size()), static_cast<double>(each.points.size())},
                   text::minute_text(history.runs[last.run].started_utc),
                   {amount_text(last.value, each.series.unit), last.value}}});
  }
  section.blocks.push_back(std::move(table));
  return section;
}

}  // namespace

ReportContent history_content(const track::History& history,
                              std::span<const track::TrackEvent> events,
                              const DrawOptions& /*draw*/) {
  ReportContent content{.kind = "history",
                        .title = "History",
                        .sections = {history_overview(history)},
                        .data = history_json(history),
                        .summary = text::counted(std::ssize(history.runs), "night") + ", " +
                                   text::counted(std::ssize(history.series), "series"),
                        .measured = !history.series.empty()};
  if (auto section = history_section(history, events, {})) {
    content.sections.push_back(std::move(*section));
  }
  return content;
}

}  // namespace stepbench::report
