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

PageTable nights_table() {
  return {.title = "Every night of the series that are drawn",
          .columns = {{.head = "series"},
                      {.head = "night"},
                      {.head = "commit"},
                      {.head = "value", .number = true},
                      {.head = "95 % interval"},
                      {.head = "launches", .number = true},
                      {.head = "usual then", .number = true},
                      {.head = "change", .number = true},
                      {.head = "what happened"}},
          .rows = {}};
}

void add_nights(const HistoryView& view, const std::string& name, PageTable& table) {
  const std::string& unit = view.series->series.unit;
  for (const HistoryNight& night : view.nights) {
    const std::string date = night.run->started_utc;
    if (!has_value(night)) {
      table.rows.push_back({{.text = name},
                            {.text = date},
                            {.text = commit_words(*night.run)},
                            {.text = "-"},
                            {.text = "-"},
                            {.text = "-"},
                            {.text = "-"},
                            {.text = "-"},
                            {.text = "no value"}});
      table.tones.push_back(Tone::kDoubt);
      continue;
    }
    const track::TrackedPoint& point = *night.point;
    table.rows.push_back(
        {{.text = name},
         {.text = date},
         {.text = commit_words(*night.run)},
         {.text = amount_text(point.value, unit), .value = point.value},
         {.text = point.low < point.high
                      ? amount_text(point.low, unit) + " to " + amount_text(point.high, unit)
                      : "-"},
         {.text = std::to_string(point.launches), .value = static_cast<double>(point.launches)},
         {.text = night.usual ? amount_text(*night.usual, unit) : "-", .value = night.usual},
         {.text = night.change ? text::signed_percent(*night.change) + " %" : "-",
          .value = night.change},
         {.text = text::join(marks_of(night, view), "; ")}});
    table.tones.push_back(night.fired || !night.alert.empty() ? Tone::kDoubt : Tone::kPlain);
  }
}

std::optional<PageTable> alerts_table(const track::AlertLog& log, const SeriesNames& names) {
  PageTable table{.title = "Alerts",
                  .columns = {{.head = "alert"},
                              {.head = "state"},
                              {.head = "opened"},
                              {.head = "host"},
                              {.head = "series", .number = true},
                              {.head = "largest change", .number = true},
                              {.head = "in"},
                              {.head = "note"}},
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
    table.rows.push_back({{.text = alert.id},
                          {.text = std::string(track::name_of(alert.state))},
                          {.text = alert.opened_utc.substr(0, 10)},
                          {.text = alert.host},
                          {.text = std::to_string(alert.series.size()),
                           .value = static_cast<double>(alert.series.size())},
                          {.text = any ? text::signed_percent(largest->change) + " %" : "-",
                           .value = any ? std::optional<double>(largest->change) : std::nullopt},
                          {.text = series == nullptr ? alert.experiment : names.name(*series)},
                          {.text = alert.note}});
    table.tones.push_back(track::is_open(alert.state) && alert.worse ? Tone::kBad
                          : track::is_open(alert.state)              ? Tone::kDoubt
                                                                     : Tone::kPlain);
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

std::optional<PageSection> history_section(const track::History& history,
                                           std::span<const track::TrackEvent> events,
                                           const track::ScreenOptions& screen) {
  const track::AlertLog log = track::fold_alerts(events);
  const SeriesNames names(history);
  PageSection section{.id = "series", .title = "Series over the nights", .blocks = {}};
  const auto open =
      std::count_if(log.alerts.begin(), log.alerts.end(),
                    [](const track::Alert& alert) { return track::is_open(alert.state); });
  section.blocks.emplace_back(
      Paragraph{open == 0 ? "No alert is open."
                          : text::counted(open, "alert") + (open == 1 ? " is open." : " are open."),
                open == 0 ? Tone::kGood : Tone::kDoubt});
  if (auto table = alerts_table(log, names)) section.blocks.emplace_back(std::move(*table));
  PageTable nights = nights_table();
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
    section.blocks.emplace_back(
        Paragraph{text::counted(std::int64_t(drawn), "series") + " of " +
                  std::to_string(history.series.size()) +
                  " are drawn, those of alerts first; `stepbench track show` draws any."});
  }
  if (drawn == 0) return std::nullopt;
  section.blocks.emplace_back(std::move(nights));
  return section;
}

}  // namespace stepbench::report
