// SPDX-License-Identifier: Apache-2.0
#include "harness/report/html/night_charts.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <utility>

#include "harness/document/cells.h"
#include "harness/report/html/figure.h"
#include "harness/report/html/series_chart.h"
#include "harness/report/night_words.h"
#include "harness/report/series_names.h"
#include "harness/text/numbers.h"
#include "harness/text/words.h"

namespace stepbench::report {
namespace {

constexpr std::size_t kMaxSeriesRows = 60;  // of the figure
constexpr double kInPercent = 100;

// Of kSeriesGroups. Quiet ones last, larger changes first.
std::size_t group_of(const nights::NightSeries& series) {
  switch (series.state) {
    case nights::NightState::kRegression:
      return 0;
    case nights::NightState::kImprovement:
      return 1;
    case nights::NightState::kSuspect:
      return 2;
    default:
      return series.alert.empty() ? 4 : 3;
  }
}

std::string change_words(const std::optional<double>& change) {
  return change ? text::signed_percent(*change) + " %" : "-";
}

std::string amount_or_dash(const std::optional<double>& value, const std::string& unit) {
  return value && std::isfinite(*value) ? amount_text(*value, unit) : "-";
}

std::string hover_of(const nights::NightSeries& series, const SeriesNames& names) {
  const std::string& unit = series.series.unit;
  std::vector<std::string> lines = {names.name(series.series), state_words(series.state),
                                    amount_or_dash(series.value, unit) + ", usual " +
                                        amount_or_dash(series.usual, unit) + ", " +
                                        change_words(series.change)};
  if (series.low && series.high) {
    lines.push_back('[' + text::signed_percent(*series.low) + ", " +
                    text::signed_percent(*series.high) + "], " +
                    text::counted(static_cast<std::int64_t>(series.pairs), "pair"));
  }
  if (!series.alert.empty()) lines.push_back(series.alert);
  if (std::string why = why_series(series); !why.empty()) lines.push_back(std::move(why));
  return hover_text(lines);
}

constexpr std::array<MarkLook, 5> kSeriesGroups = {
    {{"regression", kBadColour, "triangle-right"},
     {"improvement", kBestColour, "triangle-left"},
     {"suspect", series_colour(3), "diamond"},
     {"alert that was accepted or closed", kDimColour, "square"},
     {"ok", kPlainColour, "circle"}}};

// Holds 0 and the margin, so that little looks little.
std::string change_range(std::span<const nights::NightSeries* const> series) {
  double low = 0;
  double high = 0;
  for (const nights::NightSeries* each : series) {
    low = std::min({low, *each->change, each->low.value_or(0), -each->margin});
    high = std::max({high, *each->change, each->high.value_or(0), each->margin});
  }
  constexpr double kPadding = 0.05;  // of the width, at each end
  const double around = kPadding * (high - low);
  return to_text(Value{rounded(kInPercent * (low - around))}) + ',' +
         to_text(Value{rounded(kInPercent * (high + around))});
}

// Lines through the whole height at 0 and at the smallest margins.
void add_margins(json::JsonText& layout, std::span<const nights::NightSeries* const> series) {
  double margin = series.front()->margin;
  for (const nights::NightSeries* each : series) margin = std::min(margin, each->margin);
  layout.open_array("shapes");
  for (const double at : {0.0, -margin, margin}) {
    layout.open_object().text("type", "line").text("xref", "x").text("yref", "paper");
    layout.number("x0", kInPercent * at).number("x1", kInPercent * at);
    layout.integer("y0", 0).integer("y1", 1).open_object("line").text("color", kDimColour);
    layout.text("dash", at == 0 ? "solid" : "dot").integer("width", 1).close_object();
    layout.close_object();
  }
  layout.close_array();
}

std::optional<document::Figure> changes_figure(const nights::Night& night,
                                               const SeriesNames& names) {
  std::vector<const nights::NightSeries*> series;
  for (const nights::NightSeries& each : night.series) {
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
  for (const nights::NightSeries* each : series) y.tick_texts.push_back(names.name(each->series));
  for (std::size_t group = 0; group < kSeriesGroups.size(); ++group) {
    std::vector<double> places;
    std::vector<double> changes;
    std::vector<stats::Interval> bounds;
    std::vector<std::string> hovers;
    for (std::size_t i = 0; i < series.size(); ++i) {
      if (group_of(*series[i]) != group) continue;
      places.push_back(static_cast<double>(i));
      changes.push_back(kInPercent * *series[i]->change);
      constexpr double kNone = std::numeric_limits<double>::quiet_NaN();
      bounds.push_back({kInPercent * series[i]->low.value_or(kNone),
                        kInPercent * series[i]->high.value_or(kNone)});
      hovers.push_back(hover_of(*series[i], names));
    }
    if (places.empty()) continue;
    json::JsonText& json = figure.open_trace("scatter", kSeriesGroups.at(group).name);
    json.text("mode", "markers");
    add_numbers(json, "x", changes);
    add_numbers(json, "y", places);
    add_intervals(json, "error_x", changes, bounds);
    add_hovers(json, hovers);
    add_marker(json, kSeriesGroups.at(group), 10);
    figure.close_trace();
  }
  json::JsonText& layout = figure.layout();
  add_axis(layout, "xaxis",
           {.title = "tonight against the usual [%]", .range = change_range(series)});
  add_axis(layout, "yaxis", y);
  add_margins(layout, series);
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

document::Table environment_table(const nights::Night& night) {
  document::Table table{.title = "What changed in the environment since the night before",
                        .columns = {document::words("experiment"), document::words("field"),
                                    document::words("before"), document::words("tonight")}};
  for (const nights::NightExperiment& each : night.experiments) {
    for (const nights::EnvironmentChange& change : each.environment) {
      table.rows.push_back(
          {.cells = {change.experiment, change.field, change.before, change.tonight}});
    }
  }
  return table;
}

}  // namespace

std::vector<document::Chapter> night_charts(const ShownNight& shown) {
  const SeriesNames names(shown.history);
  document::Chapter night{.id = "night", .title = "Tonight against the usual", .blocks = {}};
  if (auto figure = changes_figure(shown.night, names)) {
    night.blocks.emplace_back(std::move(*figure));
  }
  if (document::Table changed = environment_table(shown.night); !changed.rows.empty()) {
    night.blocks.emplace_back(std::move(changed));
  }
  document::Chapter series{.id = "moved", .title = "What moved, over its nights", .blocks = {}};
  for (const HistoryView& view : moved_over_nights(shown)) {
    if (auto figure = series_figure(view, names)) series.blocks.emplace_back(std::move(*figure));
  }
  std::vector<document::Chapter> chapters;
  for (document::Chapter* chapter : {&night, &series}) {
    if (!chapter->blocks.empty()) chapters.push_back(std::move(*chapter));
  }
  return chapters;
}

}  // namespace stepbench::report
