// SPDX-License-Identifier: Apache-2.0
#include "harness/report/html/history_charts.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <string>
#include <utility>

#include "harness/report/html/history_words.h"
#include "harness/text/numbers.h"
#include "harness/text/words.h"

namespace stepbench::report {
namespace {

constexpr std::size_t kMaxSeriesDrawn = 40;
constexpr std::size_t kSeriesUnfolded = 8;

document::Table nights_table() {
  return {.title = "Every night of the series that are drawn",
          .columns = {document::words("series"),
                      document::words("night"),
                      document::words("commit"),
                      {.head = "value"},
                      document::words("95 % interval"),
                      {.head = "launches"},
                      {.head = "usual then"},
                      {.head = "change"},
                      document::words("what happened")},
          .rows = {}};
}

void add_nights(const HistoryView& view, const std::string& name, document::Table& table) {
  const std::string& unit = view.series->series.unit;
  for (const HistoryNight& night : view.nights) {
    const std::string date = night.run->started_utc;
    if (!has_value(night)) {
      table.rows.push_back(
          {.cells = {name, date, commit_words(*night.run), "-", "-", "-", "-", "-", "no value"}});
      table.rows.back().tone = document::Tone::kDoubt;
      continue;
    }
    const track::TrackedPoint& point = *night.point;
    table.rows.push_back(
        {.cells = {name,
                   date,
                   commit_words(*night.run),
                   {amount_text(point.value, unit), point.value},
                   point.low < point.high
                       ? amount_text(point.low, unit) + " to " + amount_text(point.high, unit)
                       : "-",
                   {std::to_string(point.launches), static_cast<double>(point.launches)},
                   {night.usual ? amount_text(*night.usual, unit) : "-", night.usual},
                   {night.change ? text::signed_percent(*night.change) + " %" : "-", night.change},
                   text::join(marks_of(night, view), "; ")}});
    table.rows.back().tone =
        night.fired || !night.alert.empty() ? document::Tone::kDoubt : document::Tone::kPlain;
  }
}

std::optional<document::Table> alerts_table(const track::AlertLog& log, const SeriesNames& names) {
  document::Table table{.title = "Alerts",
                        .columns = {document::words("alert"),
                                    document::words("state"),
                                    document::words("opened"),
                                    document::words("host"),
                                    {.head = "series"},
                                    {.head = "largest change"},
                                    document::words("in"),
                                    document::words("note")},
                        .rows = {}};
  for (auto at = log.alerts.rbegin(); at != log.alerts.rend(); ++at) {
    const track::Alert& alert = *at;
    const auto largest =
        std::max_element(alert.series.begin(), alert.series.end(),
                         [](const track::AlertSeries& a, const track::AlertSeries& b) {
                           return std::abs(a.change) < std::abs(b.change);
                         });
    const bool any = largest != alert.series.end();
    const track::TrackedSeries* series = any ? names.find(largest->id) : nullptr;
    table.rows.push_back(
        {.cells = {alert.id,
                   std::string(track::name_of(alert.state)),
                   alert.opened_utc.substr(0, 10),
                   alert.host,
                   {std::to_string(alert.series.size()), static_cast<double>(alert.series.size())},
                   {any ? text::signed_percent(largest->change) + " %" : "-",
                    any ? std::optional<double>(largest->change) : std::nullopt},
                   series == nullptr ? alert.experiment : names.name(*series),
                   alert.note}});
    table.rows.back().tone = track::is_open(alert.state) && alert.worse ? document::Tone::kBad
                             : track::is_open(alert.state)              ? document::Tone::kDoubt
                                                                        : document::Tone::kPlain;
  }
  if (table.rows.empty()) return std::nullopt;
  return table;
}

// Series of open alerts, of other alerts, steps, other screened ones, all others.
std::vector<const track::SeriesHistory*> by_interest(const track::History& history,
                                                     const track::AlertLog& log) {
  std::map<std::string, int> of_alerts;
  for (const track::Alert& alert : log.alerts) {
    for (const track::AlertSeries& series : alert.series) {
      int& rank = of_alerts.try_emplace(series.id, 1).first->second;
      if (track::is_open(alert.state)) rank = 0;
    }
  }
  const auto rank = [&](const track::SeriesHistory& series) {
    const auto found = of_alerts.find(series.series.id);
    if (found != of_alerts.end()) return found->second;
    if (!series.series.screened) return 4;
    return series.series.metric == track::kStepSeries ? 2 : 3;
  };
  std::vector<const track::SeriesHistory*> order;
  for (const track::SeriesHistory& series : history.series) order.push_back(&series);
  std::stable_sort(order.begin(), order.end(),
                   [&](const auto* a, const auto* b) { return rank(*a) < rank(*b); });
  return order;
}

}  // namespace

std::optional<document::Chapter> history_section(const track::History& history,
                                                 std::span<const track::TrackEvent> events,
                                                 const track::ScreenOptions& screen) {
  const track::AlertLog log = track::fold_alerts(events);
  const SeriesNames names(history);
  document::Chapter section{.id = "series", .title = "Series over the nights", .blocks = {}};
  const auto open =
      std::count_if(log.alerts.begin(), log.alerts.end(),
                    [](const track::Alert& alert) { return track::is_open(alert.state); });
  section.blocks.emplace_back(document::Paragraph{
      open == 0 ? "No alert is open."
                : text::counted(open, "alert") + (open == 1 ? " is open." : " are open."),
      open == 0 ? document::Tone::kGood : document::Tone::kDoubt});
  if (auto table = alerts_table(log, names)) section.blocks.emplace_back(std::move(*table));
  document::Table nights = nights_table();
  std::size_t drawn = 0;
  for (const track::SeriesHistory* series : by_interest(history, log)) {
    if (drawn == kMaxSeriesDrawn) break;
    const HistoryView view = view_of(*series, history, log, events, screen, kMaxNights);
    auto figure = series_figure(view, names);
    if (!figure) continue;
    figure->folded = drawn++ >= kSeriesUnfolded;
    section.blocks.emplace_back(std::move(*figure));
    add_nights(view, names.name(series->series), nights);
  }
  if (history.series.size() > kMaxSeriesDrawn) {
    section.blocks.emplace_back(document::Paragraph{
        text::counted(std::int64_t(drawn), "series") + " of " +
        std::to_string(history.series.size()) +
        " are drawn, those of alerts first; `stepbench track show` draws any."});
  }
  if (drawn == 0) return std::nullopt;
  section.blocks.emplace_back(std::move(nights));
  return section;
}

}  // namespace stepbench::report
