// SPDX-License-Identifier: Apache-2.0
#include "harness/report/pages.h"

#include <algorithm>
#include <set>
#include <tuple>
#include <utility>

#include "harness/base/format.h"
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
  return {.text = formatted("{} on {}, {} to {}", text::counted(std::ssize(history.runs), "night"),
                            text::join_and(std::vector<std::string>(hosts.begin(), hosts.end())),
                            text::minute_text(history.runs.front().started_utc),
                            text::minute_text(history.runs.back().started_utc))};
}

document::Table titled(std::string title, document::Table table) {
  table.title = std::move(title);
  return table;
}

// Further data for charts: each from series_json().
std::string charts_json(const std::vector<std::string>& series) {
  return "{\"series\":[" + text::join(series, ",") + "]}";
}

}  // namespace

ReportContent history_content(const nights::History& history,
                              std::span<const nights::TrackEvent> events,
                              const JudgedNights& judged) {
  const nights::AlertLog log = nights::fold_alerts(events);
  const SeriesNames names(history);
  const auto view = [&](const nights::SeriesHistory& one, std::size_t last) {
    return view_of(one, history, log, events, judged(one, history), last);
  };
  std::vector<SeriesRow> rows;
  for (const nights::SeriesHistory& one : history.series) {
    if (!one.points.empty()) rows.push_back(row_of(view(one, 1)));
  }
  rows = by_tone(std::move(rows), names);
  std::vector<HistoryView> drawn;
  std::vector<std::string> charts;
  document::Chapter nights{.id = "series", .title = "Series over the nights", .blocks = {}};
  for (const SeriesRow& row : rows) {
    if (drawn.size() == kMaxSeriesDrawn) break;
    HistoryView shown = view(*history.find_series(row.series->id), kMaxNights);
    auto figure = series_figure(shown, names);
    if (!figure) continue;
    figure->folded = drawn.size() >= kSeriesUnfolded;
    nights.blocks.emplace_back(std::move(*figure));
    charts.push_back(series_json(shown, names));
    drawn.push_back(std::move(shown));
  }
  if (rows.size() > drawn.size()) {
    nights.blocks.emplace_back(
        Paragraph{formatted("{} of {} are drawn, the most urgent first; `stepbench track show` "
                            "draws any, `stepbench track report --site` all.",
                            text::counted(std::ssize(drawn), "series"), rows.size())});
  }
  nights.blocks.emplace_back(
      titled("Every night of the series that are drawn", nights_table(drawn, names, kMaxNights)));
  document::Chapter overview{
      .id = "overview",
      .title = "Overview",
      .blocks = {nights_paragraph(history),
                 titled("Series, with the value of their last night", series_table(rows, names)),
                 titled("Alerts", alerts_table(newest_first(log), names, ""))}};
  move_first_figure(nights, overview, 1);
  ReportContent content{.kind = "history",
                        .title = "History",
                        .sections = {std::move(overview)},
                        .data = history_json(history),
                        .charts = charts_json(charts),
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
    const std::string night = night_date(history.runs[begin.run]);
    for (const nights::FieldSplit& split : begin.fields) {
      table.rows.push_back({.cells = {night, split.field, split.a, split.b}});
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
  std::vector<document::Figure> figures;
  std::vector<std::string> charts;
  for (const nights::AlertSeries& each : alert.series) {
    const auto chart = charts_.find(each.id);
    if (chart == charts_.end() || charts.size() == kMaxCharts) continue;
    figures.push_back(chart->second.figure);
    charts.push_back(chart->second.data);
  }
  document::Document document =
      alert_document(alert, newest_, names_, figures, options_.history_words, Links::kPages);
  const bool open = alert.state == nights::AlertState::kOpen;
  return {alert_file(alert.id),
          page({.kind = "alert",
                .title = document.headline,
                .answer = {.text = alert_sentence(alert, newest_),
                           .tone = open ? document::Tone::kBad : document::Tone::kPlain},
                .sections = std::move(document.chapters),
                .data = alert_json(alert, newest_, options_.history_words),
                .charts = charts_json(charts)})};
}

SiteFile HistorySite::index() const {
  const std::vector<SeriesRow> rows = by_tone(rows_, names_);
  ReportContent content{
      .kind = "site",
      .title = options_.title,
      .answer = open_alerts_answer(log_, names_, rows),
      .sections = {{.id = "overview", .title = "Overview", .blocks = {nights_paragraph(newest_)}}},
      .data = index_json(rows, names_)};
  // The most urgent series that has a chart.
  const auto drawn = std::ranges::find_if(
      rows, [&](const SeriesRow& row) { return charts_.contains(row.series->id); });
  if (drawn != rows.end()) {
    const SeriesChart& chart = charts_.at(drawn->series->id);
    content.sections.front().blocks.emplace_back(chart.figure);
    content.charts = charts_json({chart.data});
  }
  if (!log_.alerts.empty()) {
    content.sections.push_back(
        {.id = "alerts",
         .title = "Alerts",
         .blocks = {alerts_table(newest_first(log_), names_, options_.today, Links::kPages)}});
  }
  const auto explains =
      std::ranges::find_if(rows, [](const SeriesRow& row) { return !row.series->monitored; });
  content.sections.push_back(
      {.id = "series",
       .title = "Series",
       .blocks = {series_table({rows.begin(), explains}, names_, Links::kPages),
                  titled("What explains them, and is not judged",
                         series_table({explains, rows.end()}, names_, Links::kPages))}});
  return {kSiteIndex, page(std::move(content))};
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
