// SPDX-License-Identifier: Apache-2.0
#include "harness/report/html/night_charts.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <string>
#include <utility>

#include "harness/document/cells.h"
#include "harness/report/html/figure.h"
#include "harness/report/html/series_chart.h"
#include "harness/report/series_names.h"
#include "harness/text/numbers.h"
#include "harness/text/words.h"

namespace stepbench::report {
namespace {

constexpr std::size_t kMaxSeriesRows = 60;  // of the figure
constexpr double kInPercent = 100;

// Of kSeriesGroups. Quiet ones last, larger changes first.
std::size_t group_of(const track::NightSeries& series) {
  switch (series.state) {
    case track::NightState::kAcknowledged:
    case track::NightState::kFixed:
    case track::NightState::kNotReproduced:
      return 3;
    case track::NightState::kOk:
    case track::NightState::kWarmingUp:
    case track::NightState::kIgnored:
      return 4;
    default:
      return series.alert.empty() ? 2 : series.worse ? 0 : 1;
  }
}

std::string change_words(const std::optional<double>& change) {
  return change ? text::signed_percent(*change) + " %" : "-";
}

std::string amount_or_dash(const std::optional<double>& value, const std::string& unit) {
  return value && std::isfinite(*value) ? amount_text(*value, unit) : "-";
}

std::string hover_of(const track::NightSeries& series, const SeriesNames& names) {
  const std::string& unit = series.series.unit;
  std::vector<std::string> lines = {names.name(series.series), std::string(name_of(series.state)),
                                    amount_or_dash(series.value, unit) + ", usual " +
                                        amount_or_dash(series.usual, unit) + ", " +
                                        change_words(series.change)};
  if (series.normalised_change) {
    lines.push_back("per control case " + change_words(series.normalised_change));
  }
  if (!series.alert.empty()) lines.push_back(series.alert);
  if (!series.why.empty()) lines.push_back(series.why);
  return hover_text(lines);
}

constexpr std::array<MarkLook, 5> kSeriesGroups = {
    {{"alert: worse", kBadColour, "triangle-right"},
     {"alert: better", kBestColour, "triangle-left"},
     {"moved", series_colour(3), "diamond"},
     {"alert that was accepted or closed", kDimColour, "square"},
     {"as usual", kPlainColour, "circle"}}};

std::optional<document::Figure> changes_figure(const track::Night& night,
                                               const SeriesNames& names) {
  std::vector<const track::NightSeries*> series;
  for (const track::NightSeries& each : night.series) {
    if (each.change && std::isfinite(*each.change)) series.push_back(&each);
  }
  if (series.empty()) return std::nullopt;
  std::stable_sort(series.begin(), series.end(), [](const auto* a, const auto* b) {
    if (group_of(*a) != group_of(*b)) return group_of(*a) < group_of(*b);
    return std::abs(*a->change) > std::abs(*b->change);
  });
  const std::size_t all = series.size();
  series.resize(std::min(all, kMaxSeriesRows));
  FigureJson figure;
  Axis y{.title = "", .downwards = true};
  for (const track::NightSeries* each : series) y.tick_texts.push_back(names.name(each->series));
  for (std::size_t group = 0; group < kSeriesGroups.size(); ++group) {
    std::vector<double> places;
    std::vector<double> changes;
    std::vector<std::string> hovers;
    for (std::size_t i = 0; i < series.size(); ++i) {
      if (group_of(*series[i]) != group) continue;
      places.push_back(static_cast<double>(i));
      changes.push_back(kInPercent * *series[i]->change);
      hovers.push_back(hover_of(*series[i], names));
    }
    if (places.empty()) continue;
    json::JsonText& json = figure.open_trace("scatter", kSeriesGroups.at(group).name);
    json.text("mode", "markers");
    add_numbers(json, "x", changes);
    add_numbers(json, "y", places);
    add_hovers(json, hovers);
    add_marker(json, kSeriesGroups.at(group), 10);
    figure.close_trace();
  }
  json::JsonText& layout = figure.layout();
  add_axis(layout, "xaxis", {.title = "tonight against the usual [%]"});
  add_axis(layout, "yaxis", y);
  return document::Figure{.title = "Tonight against the usual",
                          .alt = text::counted(std::ssize(series), "series") +
                                 ", the largest change " + change_words(series.front()->change) +
                                 " of " + names.name(series.front()->series) + '.',
                          .json = figure.take(),
                          .note = all > kMaxSeriesRows
                                      ? "The " + std::to_string(kMaxSeriesRows) + " of " +
                                            std::to_string(all) +
                                            " series that moved most; the table above has all."
                                      : "",
                          .height_px = static_cast<int>(140 + 24 * series.size())};
}

document::Table environment_table(const track::Night& night) {
  document::Table table{.title = "What changed in the environment since the night before",
                        .columns = {document::words("experiment"),
                                    document::words("field"),
                                    document::words("before"),
                                    document::words("tonight"),
                                    {.head = "series"}}};
  for (const track::CohortChange& change : night.cohorts) {
    table.rows.push_back({.cells = {change.experiment, change.field, change.before, change.tonight,
                                    document::count(static_cast<std::int64_t>(change.series))}});
  }
  return table;
}

}  // namespace

std::vector<document::Chapter> night_charts(const campaign::CheckedNight& checked,
                                            std::span<const HistoryView> moved) {
  const SeriesNames names(checked.history);
  document::Chapter night{.id = "night", .title = "Tonight against the usual", .blocks = {}};
  if (auto figure = changes_figure(checked.night, names)) {
    night.blocks.emplace_back(std::move(*figure));
  }
  if (!checked.night.cohorts.empty()) night.blocks.emplace_back(environment_table(checked.night));
  document::Chapter series{.id = "moved", .title = "What moved, over its nights", .blocks = {}};
  for (const HistoryView& view : moved) {
    if (auto figure = series_figure(view, names)) series.blocks.emplace_back(std::move(*figure));
  }
  std::vector<document::Chapter> chapters;
  for (document::Chapter* chapter : {&night, &series}) {
    if (!chapter->blocks.empty()) chapters.push_back(std::move(*chapter));
  }
  return chapters;
}

}  // namespace stepbench::report
