// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "harness/report/history_document.h"
#include "harness/report/history_export.h"
#include "harness/report/html/report.h"
#include "harness/report/html/series_chart.h"
#include "harness/text/utc.h"
#include "harness/text/words.h"

namespace stepbench::report {
namespace {

using document::Paragraph;

constexpr std::size_t kMaxSeriesDrawn = 40;
constexpr std::size_t kSeriesUnfolded = 8;

// Order: series of open alerts, of other alerts, steps, other judged series, all others.
std::vector<const track::SeriesHistory*> by_interest(const track::History& history,
                                                     const nights::AlertLog& log) {
  std::map<std::string, int> of_alerts;
  for (const nights::Alert& alert : log.alerts) {
    for (const nights::AlertSeries& series : alert.series) {
      int& rank = of_alerts.try_emplace(series.id, 1).first->second;
      if (alert.state == nights::AlertState::kOpen) rank = 0;
    }
  }
  const auto rank = [&](const track::SeriesHistory* series) {
    const auto found = of_alerts.find(series->series.id);
    if (found != of_alerts.end()) return found->second;
    if (!series->series.monitored) return 4;
    return series->series.metric == track::kStepSeries ? 2 : 3;
  };
  std::vector<const track::SeriesHistory*> order;
  for (const track::SeriesHistory& series : history.series) {
    if (!series.points.empty()) order.push_back(&series);
  }
  std::ranges::stable_sort(order, {}, rank);
  return order;
}

}  // namespace

Paragraph nights_paragraph(const track::History& history) {
  if (history.runs.empty()) {
    return {.text = "There is no night in this history.", .tone = document::Tone::kBad};
  }
  std::set<std::string> hosts;
  for (const track::TrackedRun& run : history.runs) hosts.insert(run.host);
  return {.text = text::counted(std::ssize(history.runs), "night") + " on " +
                  text::join_and(std::vector<std::string>(hosts.begin(), hosts.end())) + ", " +
                  text::minute_text(history.runs.front().started_utc) + " to " +
                  text::minute_text(history.runs.back().started_utc)};
}

ReportContent history_content(const track::History& history,
                              std::span<const track::TrackEvent> events,
                              const JudgedNights& judged) {
  const nights::AlertLog log = nights::fold_alerts(events);
  const SeriesNames names(history);
  std::vector<const track::SeriesHistory*> all = by_interest(history, log);
  std::vector<SeriesRow> rows;
  std::set<const track::SeriesHistory*> quiet;
  for (const track::SeriesHistory* one : all) {
    rows.push_back(row_of(view_of(*one, history, log, events, judged(*one, history), 1)));
    if (rows.back().alert.empty() && rows.back().tone != document::Tone::kDoubt) quiet.insert(one);
  }
  // Draw series that changed in the last night before unchanged ones.
  std::stable_partition(all.begin(), all.end(),
                        [&](const track::SeriesHistory* one) { return !quiet.contains(one); });
  std::vector<HistoryView> drawn;
  std::string charts;
  document::Chapter nights{.id = "series", .title = "Series over the nights", .blocks = {}};
  for (const track::SeriesHistory* one : all) {
    if (drawn.size() == kMaxSeriesDrawn) break;
    HistoryView view = view_of(*one, history, log, events, judged(*one, history), kMaxNights);
    auto figure = series_figure(view, names);
    if (!figure) continue;
    figure->folded = drawn.size() >= kSeriesUnfolded;
    nights.blocks.emplace_back(std::move(*figure));
    charts += (charts.empty() ? "" : ",") + series_json(view, names);
    drawn.push_back(std::move(view));
  }
  if (all.size() > drawn.size()) {
    nights.blocks.emplace_back(Paragraph{
        text::counted(std::ssize(drawn), "series") + " of " + std::to_string(all.size()) +
        " are drawn, those of alerts first; `stepbench track show` draws any, `stepbench track "
        "report --site` all."});
  }
  document::Table table = nights_table(drawn, names, kMaxNights);
  table.title = "Every night of the series that are drawn";
  nights.blocks.emplace_back(std::move(table));

  document::Chapter overview{.id = "overview", .title = "Overview", .blocks = {}};
  overview.blocks.emplace_back(nights_paragraph(history));
  move_first_figure(nights, overview, 1);
  document::Table series = series_table(rows, names);
  series.title = "Series, with the value of their last night";
  overview.blocks.emplace_back(std::move(series));
  document::Table alerts = alerts_table(newest_first(log), names, "");
  alerts.title = "Alerts";
  overview.blocks.emplace_back(std::move(alerts));
  ReportContent content{.kind = "history",
                        .title = "History",
                        .sections = {std::move(overview)},
                        .data = history_json(history),
                        .charts = "{\"series\":[" + charts + "]}",
                        .summary = text::counted(std::ssize(history.runs), "night") + ", " +
                                   text::counted(std::ssize(history.series), "series"),
                        .measured = !history.series.empty()};
  if (!history.runs.empty()) content.answer = open_alerts_answer(log, names, rows);
  if (!drawn.empty()) content.sections.push_back(std::move(nights));
  return content;
}

}  // namespace stepbench::report
