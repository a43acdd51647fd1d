// SPDX-License-Identifier: Apache-2.0
#include "harness/report/html/history_site.h"

#include <algorithm>
#include <tuple>
#include <utility>

#include "harness/json/json_text.h"
#include "harness/report/alert_json.h"
#include "harness/report/history_document.h"
#include "harness/report/history_export.h"
#include "harness/report/html/page.h"
#include "harness/report/html/report.h"
#include "harness/report/html/series_chart.h"
#include "harness/text/words.h"
#include "harness/track/why_split.h"

namespace stepbench::report {
namespace {

constexpr std::size_t kMaxCharts = 8;  // per alert

// Changes of the series' environment and the fields that changed.
document::Table segments_table(const track::History& history, const track::SeriesHistory& series) {
  document::Table table{.title = "The environment changed",
                        .columns = {document::words("night"), document::words("field"),
                                    document::words("before"), document::words("from then on")}};
  for (const track::SegmentBegin& begin : track::segment_begins(history, series)) {
    for (const track::FieldSplit& split : begin.fields) {
      table.rows.push_back({.cells = {history.runs[begin.run].started_utc.substr(0, 10),
                                      split.field, split.a, split.b}});
    }
  }
  return table;
}

// Most urgent first, then by name; unjudged series last.
std::vector<SeriesRow> by_tone(std::vector<SeriesRow> rows, const SeriesNames& names) {
  std::ranges::sort(rows, {}, [&](const SeriesRow& row) {
    const bool is_step = row.series->metric == track::kStepSeries;
    return std::tuple(!row.series->monitored, -static_cast<int>(row.tone), !is_step,
                      names.name(*row.series));
  });
  return rows;
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

HistorySite::HistorySite(const track::History& newest, const nights::AlertLog& log,
                         std::span<const track::TrackEvent> events, JudgedNights judged,
                         SiteOptions options)
    : newest_(newest),
      log_(log),
      events_(events),
      judged_(std::move(judged)),
      options_(std::move(options)),
      names_(newest) {}

SiteFile HistorySite::series(const track::SeriesHistory& one, const track::History& history) {
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
  if (!view.alerts.empty()) {
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
  return {alert_file(alert.id),
          page({.kind = "alert",
                .title = document.headline,
                .sections = std::move(document.chapters),
                .data = alert_json(alert, newest_, "stepbench track show " + alert.id + words),
                .charts = "{\"series\":[" + data + "]}"})};
}

SiteFile HistorySite::index() const {
  const std::vector<SeriesRow> rows = by_tone(rows_, names_);
  document::Chapter overview{.id = "overview", .title = "Overview", .blocks = {}};
  overview.blocks.emplace_back(nights_paragraph(newest_));
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
                            .data = index_json(rows, names_)})};
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
