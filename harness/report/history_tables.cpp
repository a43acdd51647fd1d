// SPDX-License-Identifier: Apache-2.0
#include "harness/report/history_tables.h"

#include <algorithm>
#include <cctype>
#include <chrono>
#include <cmath>
#include <utility>

#include "harness/document/cells.h"
#include "harness/report/history_words.h"
#include "harness/report/night_words.h"
#include "harness/text/numbers.h"
#include "harness/text/utc.h"
#include "harness/text/words.h"

namespace stepbench::report {
namespace {

using document::Tone;

// Ids are digests and numbers; removes characters that could lead out of the folder.
std::string page_file(std::string_view kind, std::string_view id) {
  std::string name(kind);
  for (const char c : id) {
    name += std::isalnum(static_cast<unsigned char>(c)) != 0 ? c : '_';
  }
  return name + ".html";
}

document::Cell series_amount(const std::optional<double>& value, std::string_view unit) {
  if (!value || !std::isfinite(*value)) return "-";
  return {amount_text(*value, unit), value};
}

std::string age_text(const std::string& from, const std::string& to) {
  const auto begin = text::parse_utc(from);
  const auto end = text::parse_utc(to);
  if (!begin || !end) return "-";
  return text::counted(std::chrono::floor<std::chrono::days>(*end - *begin).count(), "day");
}

Tone tone_of_alert(const nights::Alert* alert) {
  if (alert == nullptr) return Tone::kDoubt;
  return alert->state == nights::AlertState::kOpen ? Tone::kBad : Tone::kPlain;
}

document::TableRow night_row(const HistoryNight& night, const HistoryView& view) {
  const std::string& unit = view.series->series.unit;
  document::TableRow row{{night_date(*night.run),
                          document::linked(program_id(*night.run),
                                           track::commit_url(*night.run, night.run->git_sha))}};
  if (!has_value(night)) {
    row.cells.insert(row.cells.end(), {"-", "", "", "", "", "", "no value"});
    row.tone = Tone::kDim;
    return row;
  }
  const track::TrackedPoint& point = *night.point;
  row.cells.insert(
      row.cells.end(),
      {series_amount(point.value, unit),
       point.low < point.high
           ? amount_text(point.low, unit) + " to " + amount_text(point.high, unit)
           : "-",
       document::count(point.launches), series_amount(night.usual(), unit),
       document::change(night.change()),
       night.judged ? document::Cell(state_words(night.judged->state)) : document::Cell(""),
       text::join(marks_of(night), "; ")});
  if (!night.alert.empty()) {
    row.tone = tone_of_alert(alert_named(view, night.alert));
  } else if (night.is_suspect()) {
    row.tone = Tone::kDoubt;
  }
  return row;
}

}  // namespace

std::string series_file(std::string_view series_id) { return page_file("series-", series_id); }
std::string alert_file(std::string_view alert_id) { return page_file("alert-", alert_id); }

SeriesRow row_of(const HistoryView& view) {
  SeriesRow row{.series = &view.series->series, .nights = view.series->points.size()};
  if (view.nights.empty() || view.series->points.empty()) return row;
  row.newest = view.series->points.back();
  const HistoryNight& last = view.nights.back();
  row.last_date = night_date(*last.run);
  row.usual = last.usual();
  row.change = last.change();
  for (const nights::Alert* alert : view.alerts) {
    const bool accepted = alert->state == nights::AlertState::kAccepted;
    if (alert->state != nights::AlertState::kOpen && !accepted) continue;
    row.state = accepted ? "accepted" : "regression";
    row.alert = alert->id;
    row.tone = accepted ? Tone::kDim : tone_of_alert(alert);
    if (!accepted) return row;
  }
  if (!row.state.empty()) return row;
  if (!has_value(last)) {
    row.state = "no value";
    row.tone = Tone::kDoubt;
  } else if (!row.series->monitored || !last.judged) {
    row.state = "not judged";
  } else {
    row.state = state_words(last.judged->state);
    row.tone = last.is_suspect() ? Tone::kDoubt : Tone::kPlain;
  }
  return row;
}

document::Table series_table(std::span<const SeriesRow> rows, const SeriesNames& names,
                             Links links) {
  document::Table table{.columns = {document::words("series"),
                                    {.head = "experiment", .left = true, .shrink_at = 2},
                                    {.head = "case", .left = true, .shrink_at = 1, .shrink_to = 16},
                                    document::words("metric"),
                                    document::words("state"),
                                    document::words("alert"),
                                    {.head = "nights"},
                                    {.head = "first", .left = true, .drop_at = 1},
                                    document::words("last"),
                                    {.head = "last value"},
                                    {.head = "usual"},
                                    {.head = "change"}}};
  const bool looked_at =
      std::ranges::any_of(rows, [](const auto& row) { return row.usual.has_value(); });
  for (const SeriesRow& row : rows) {
    const track::TrackedSeries& series = *row.series;
    std::string name = names.case_words(series);
    if (series.control) name += " (control)";
    const bool to_page = links == Links::kPages;
    table.rows.push_back(
        {.cells = {names.short_id(series.id), series.experiment,
                   document::linked(std::move(name), to_page ? series_file(series.id) : ""),
                   metric_label(series.metric), row.state,
                   document::linked(row.alert,
                                    to_page && !row.alert.empty() ? alert_file(row.alert) : ""),
                   document::count(static_cast<std::int64_t>(row.nights)), row.first_date,
                   row.last_date, series_amount(row.newest.value, series.unit),
                   looked_at ? series_amount(row.usual, series.unit) : document::Cell(""),
                   looked_at ? document::change(row.change) : document::Cell("")},
         .tone = row.tone});
  }
  for (const std::size_t column : {11U, 10U, 7U, 5U, 4U}) document::drop_if_empty(table, column);
  return table;
}

document::Table nights_table(std::span<const HistoryView> views, const SeriesNames& names,
                             std::size_t most) {
  const bool one = views.size() == 1;
  document::Table table{
      .columns = {document::words("series"),
                  document::words("night"),
                  {.head = "commit", .left = true, .drop_at = 20},
                  {.head = one ? metric_label(views.front().series->series.metric) : "value"},
                  {.head = "95 % interval", .drop_at = 30},
                  {.head = "launches", .drop_at = 10},
                  {.head = "usual then"},
                  {.head = "change"},
                  document::words("state"),
                  document::words("")}};
  for (const HistoryView& view : views) {
    for (std::size_t i = view.nights.size() - std::min(view.nights.size(), most);
         i < view.nights.size(); ++i) {
      document::TableRow row = night_row(view.nights[i], view);
      row.cells.insert(row.cells.begin(), one ? "" : names.name(view.series->series));
      table.rows.push_back(std::move(row));
    }
  }
  document::drop_if_empty(table, 0);
  return table;
}

document::Table alerts_table(std::span<const nights::Alert* const> alerts, const SeriesNames& names,
                             const std::string& today, Links links) {
  document::Table table{.columns = {document::words("alert"),
                                    document::words("state"),
                                    document::words("opened"),
                                    {.head = "age"},
                                    {.head = "host", .left = true, .drop_at = 20},
                                    {.head = "series"},
                                    {.head = "largest change"},
                                    {.head = "in", .left = true, .shrink_at = 50, .shrink_to = 16},
                                    {.head = "accepted", .left = true, .drop_at = 10}}};
  for (const nights::Alert* alert : alerts) {
    const bool accepted = alert->state == nights::AlertState::kAccepted;
    const nights::AlertSeries* largest = largest_of(*alert);
    const track::TrackedSeries* series = largest == nullptr ? nullptr : names.find(largest->id);
    const std::string words = acceptance_words(*alert);
    table.rows.push_back(
        {.cells = {document::linked(alert->id, links == Links::kPages ? alert_file(alert->id) : ""),
                   name_of(alert->state), alert->opened_utc.substr(0, 10),
                   today.empty() ? "" : age_text(alert->opened_utc.substr(0, 10), today),
                   alert->host, document::count(std::ssize(alert->series)),
                   document::change(largest == nullptr
                                        ? std::nullopt
                                        : std::optional(reported_change(*largest, series).change)),
                   series == nullptr ? alert->experiment : names.name(*series),
                   !accepted       ? std::string()
                   : words.empty() ? "for good"
                                   : words},
         .tone = accepted ? Tone::kDim : tone_of_alert(alert)});
  }
  document::drop_if_empty(table, 8);
  document::drop_if_empty(table, 3);
  return table;
}

std::vector<const nights::Alert*> newest_first(const nights::AlertLog& log) {
  std::vector<const nights::Alert*> alerts;
  for (const nights::Alert& alert : log.alerts) alerts.push_back(&alert);
  std::ranges::reverse(alerts);
  return alerts;
}

}  // namespace stepbench::report
