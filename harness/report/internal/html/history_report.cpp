// SPDX-License-Identifier: Apache-2.0
#include "harness/report/pages.h"

#include <algorithm>
#include <set>
#include <tuple>
#include <utility>

#include "harness/json/json_text.h"
#include "harness/nights/history.h"
#include "harness/report/history.h"
#include "harness/report/night.h"
#include "harness/text/time_text.h"
#include "harness/text/words.h"

namespace stepbench::report {
namespace {

using document::Paragraph;

constexpr std::size_t kMaxSeriesDrawn = 40;
constexpr std::size_t kSeriesUnfolded = 8;

// Most urgent first, then those that had alerts, then by name; unjudged series last.
std::vector<SeriesRow> by_tone(std::vector<SeriesRow> rows, const SeriesNames& names) {
  std::ranges::sort(rows, {}, [&](const SeriesRow& row) {
    const bool is_step = row.series->metric == nights::kStepSeries;
    return std::tuple(!row.series->monitored, -static_cast<int>(row.tone), !row.had_alerts,
                      row.series->control, !is_step, names.name(*row.series));
  });
  return rows;
}

// "365 nights on box, 2026-01-01 02:00 UTC to 2026-12-31 02:00 UTC"
Paragraph nights_paragraph(const nights::History& history) {
  if (history.runs.empty()) {
    return {.text = "There is no night in this history.", .tone = document::Tone::kBad};
  }
  std::set<std::string> hosts;
  for (const nights::TrackedRun& run : history.runs) hosts.insert(run.host);
  return {.text = text::counted(std::ssize(history.runs), "night") + " on " +
                  text::join_and(std::vector<std::string>(hosts.begin(), hosts.end())) + ", " +
                  text::minute_text(history.runs.front().started_utc) + " to " +
                  text::minute_text(history.runs.back().started_utc)};
}

}  // namespace

ReportContent history_content(const nights::History& history,
                              std::span<const nights::TrackEvent> events,
                              const JudgedNights& judged) {
  const nights::AlertLog log = nights::fold_alerts(events);
  const SeriesNames names(history);
  std::vector<SeriesRow> rows;
  for (const nights::SeriesHistory& one : history.series) {
    if (one.points.empty()) continue;
    rows.push_back(row_of(view_of(one, history, log, events, judged(one, history), 1)));
  }
  rows = by_tone(std::move(rows), names);
  std::vector<HistoryView> drawn;
  std::string charts;
  document::Chapter nights{.id = "series", .title = "Series over the nights", .blocks = {}};
  for (const SeriesRow& row : rows) {
    if (drawn.size() == kMaxSeriesDrawn) break;
    const nights::SeriesHistory& one = *history.find_series(row.series->id);
    HistoryView view = view_of(one, history, log, events, judged(one, history), kMaxNights);
    auto figure = series_figure(view, names);
    if (!figure) continue;
    figure->folded = drawn.size() >= kSeriesUnfolded;
    nights.blocks.emplace_back(std::move(*figure));
    charts += (charts.empty() ? "" : ",") + series_json(view, names);
    drawn.push_back(std::move(view));
  }
  if (rows.size() > drawn.size()) {
    nights.blocks.emplace_back(Paragraph{
        text::counted(std::ssize(drawn), "series") + " of " + std::to_string(rows.size()) +
        " are drawn, the most urgent first; `stepbench track show` draws any, `stepbench track "
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

namespace {

constexpr std::size_t kMaxCharts = 8;  // per alert

// Changes of the series' environment and the fields that changed.
document::Table segments_table(const nights::History& history,
                               const nights::SeriesHistory& series) {
  document::Table table{.title = "The environment changed",
                        .columns = {document::words("night"), document::words("field"),
                                    document::words("before"), document::words("from then on")}};
  for (const nights::SegmentBegin& begin : nights::segment_begins(history, series)) {
    for (const nights::FieldSplit& split : begin.fields) {
      table.rows.push_back({.cells = {history.runs[begin.run].started_utc.substr(0, 10),
                                      split.field, split.a, split.b}});
    }
  }
  return table;
}

std::string index_json(std::span<const SeriesRow> rows, const SeriesNames& names) {
  json::JsonText json;
  json.open_object().open_array("series");
  for (const SeriesRow& row : rows) {
    json.open_object().text("id", row.series->id).text("name", names.name(*row.series));
    json.text("state", row.state).text("alert", row.alert).text("last_night", row.last_date);
    json.number("value", row.newest.value).text("unit", row.series->unit).close_object();
  }
  return json.close_array().close_object().take();
}

}  // namespace

HistorySite::HistorySite(const nights::History& newest, const nights::AlertLog& log,
                         std::span<const nights::TrackEvent> events, JudgedNights judged,
                         SiteOptions options)
    : newest_(newest),
      log_(log),
      events_(events),
      judged_(std::move(judged)),
      options_(std::move(options)),
      names_(newest) {}

SiteFile HistorySite::series(const nights::SeriesHistory& one, const nights::History& history) {
  const HistoryView view = view_of(one, history, log_, events_, judged_(one, history), kMaxNights);
  SeriesRow row = row_of(view);
  if (const auto* known = newest_.find_series(one.series.id)) row.series = &known->series;
  document::Document document = series_document(view, history, names_, kMaxNights, Links::kPages);
  if (document::Table segments = segments_table(history, one); !segments.rows.empty()) {
    document.chapters.push_back(
        {.id = "environment", .title = "Environment", .blocks = {segments}});
  }
  rows_.push_back(std::move(row));
  std::string data = series_json(view, names_);
  const bool is_step = one.series.monitored && one.series.metric == nights::kStepSeries;
  if (!view.alerts.empty() || (is_step && charts_.empty())) {
    if (auto figure = series_figure(view, names_)) {
      charts_.emplace(one.series.id, SeriesChart{*std::move(figure), data});
    }
  }
  return {series_file(one.series.id), page({.kind = "series",
                                            .title = names_.name(one.series),
                                            .answer = std::move(document.answer),
                                            .sections = std::move(document.chapters),
                                            .data = std::move(data)})};
}

SiteFile HistorySite::alert(const nights::Alert& alert) const {
  const std::string& words = options_.history_words;
  std::vector<document::Figure> charts;
  std::string data;
  for (const nights::AlertSeries& each : alert.series) {
    const auto chart = charts_.find(each.id);
    if (chart == charts_.end() || charts.size() == kMaxCharts) continue;
    charts.push_back(chart->second.figure);
    data += (data.empty() ? "" : ",") + chart->second.data;
  }
  document::Document document =
      alert_document(alert, newest_, names_, charts, words, Links::kPages);
  return {alert_file(alert.id), page({.kind = "alert",
                                      .title = document.headline,
                                      .answer = {.text = alert_sentence(alert, newest_),
                                                 .tone = alert.state == nights::AlertState::kOpen
                                                             ? document::Tone::kBad
                                                             : document::Tone::kPlain},
                                      .sections = std::move(document.chapters),
                                      .data = alert_json(alert, newest_, words),
                                      .charts = "{\"series\":[" + data + "]}"})};
}

SiteFile HistorySite::index() const {
  const std::vector<SeriesRow> rows = by_tone(rows_, names_);
  document::Chapter overview{.id = "overview", .title = "Overview", .blocks = {}};
  overview.blocks.emplace_back(nights_paragraph(newest_));
  // The most urgent series that has a chart.
  const auto drawn = std::ranges::find_if(
      rows, [&](const SeriesRow& row) { return charts_.contains(row.series->id); });
  std::string charts;
  if (drawn != rows.end()) {
    const SeriesChart& chart = charts_.at(drawn->series->id);
    overview.blocks.emplace_back(chart.figure);
    charts = "{\"series\":[" + chart.data + "]}";
  }
  document::Chapter alerts{
      .id = "alerts",
      .title = "Alerts",
      .blocks = {alerts_table(newest_first(log_), names_, options_.today, Links::kPages)}};
  document::Chapter series{.id = "series", .title = "Series", .blocks = {}};
  const auto explains =
      std::ranges::find_if(rows, [](const SeriesRow& row) { return !row.series->monitored; });
  const std::span judged(rows.begin(), explains);
  const std::span others(explains, rows.end());
  series.blocks.emplace_back(series_table(judged, names_, Links::kPages));
  document::Table phases = series_table(others, names_, Links::kPages);
  phases.title = "What explains them, and is not judged";
  series.blocks.emplace_back(std::move(phases));
  std::vector<document::Chapter> chapters = {std::move(overview)};
  if (!log_.alerts.empty()) chapters.push_back(std::move(alerts));
  chapters.push_back(std::move(series));
  return {kSiteIndex, page({.kind = "site",
                            .title = options_.title,
                            .answer = open_alerts_answer(log_, names_, rows),
                            .sections = std::move(chapters),
                            .data = index_json(rows, names_),
                            .charts = std::move(charts)})};
}

bool is_site_page(std::string_view name) {
  return name.ends_with(".html") && (name.starts_with("series-") || name.starts_with("alert-"));
}

std::vector<SiteFile> HistorySite::scripts() const {
  if (options_.plotly.script.empty()) return {};
  return {{kSitePlotly, options_.plotly.script}};
}

std::string HistorySite::page(ReportContent content) const {
  ReportOptions options;
  options.plotly.version = options_.plotly.version;
  if (!options_.plotly.script.empty()) options.plotly_file = kSitePlotly;
  if (content.kind != "site") {
    options.back = {options_.title};
    options.back.link = kSiteIndex;
  }
  return report_of(std::move(content), options).html;
}

}  // namespace stepbench::report
