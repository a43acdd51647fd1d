// SPDX-License-Identifier: Apache-2.0
#include "harness/report/html/night_charts.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <string>
#include <utility>

#include "harness/json/line_error.h"
#include "harness/json/line_object.h"
#include "harness/report/html/figure.h"
#include "harness/report/night_json.h"
#include "harness/report/series_names.h"
#include "harness/text/numbers.h"
#include "harness/text/words.h"

namespace stepbench::report {
namespace {

constexpr std::size_t kMaxSeriesRows = 60;  // of the figure
constexpr double kInPercent = 100;

struct SeriesOfNight {
  std::string name;
  std::string state;
  std::string unit;
  std::string alert;
  std::string why;
  bool worse = false;
  std::optional<double> value;
  std::optional<double> usual;
  std::optional<double> change;
  std::optional<double> normalised_change;
};

SeriesOfNight read_series(const json::LineObject& source) {
  return {.name = source.text("name"),
          .state = source.text("state"),
          .unit = source.text("unit"),
          .alert = source.text("alert"),
          .why = source.text("why"),
          .worse = source.flag("worse"),
          .value = source.number("value"),
          .usual = source.number("usual"),
          .change = source.number("change"),
          .normalised_change = source.number("normalised_change")};
}

template <typename Each>
void for_objects_of(const json::LineObject& source, std::string_view field, const Each& each) {
  const auto array = source.array(field);
  if (!array) return;
  for (const json::JsonView& view : *array) {
    if (const auto one = view.object()) each(*one);
  }
}

// Quiet ones last, larger changes first.
int rank_of(const SeriesOfNight& series) {
  if (!series.alert.empty()) return series.worse ? 0 : 1;
  return series.state == "ok" || series.state == "warming-up" || series.state == "ignored" ? 3 : 2;
}

std::string change_words(const std::optional<double>& change) {
  return change ? text::signed_percent(*change) + " %" : "-";
}

std::string amount_or_dash(const std::optional<double>& value, const std::string& unit) {
  return value && std::isfinite(*value) ? amount_text(*value, unit) : "-";
}

constexpr std::array<MarkLook, 4> kSeriesGroups = {{{"alert: worse", kBadColour, "triangle-right"},
                                                    {"alert: better", kBestColour, "triangle-left"},
                                                    {"moved", series_colour(3), "diamond"},
                                                    {"as usual", kPlainColour, "circle"}}};

std::optional<document::Figure> changes_figure(std::vector<SeriesOfNight> series) {
  std::erase_if(series, [](const SeriesOfNight& each) {
    return !each.change || !std::isfinite(*each.change);
  });
  if (series.empty()) return std::nullopt;
  std::stable_sort(series.begin(), series.end(),
                   [](const SeriesOfNight& a, const SeriesOfNight& b) {
                     if (rank_of(a) != rank_of(b)) return rank_of(a) < rank_of(b);
                     return std::abs(*a.change) > std::abs(*b.change);
                   });
  const std::size_t all = series.size();
  series.resize(std::min(all, kMaxSeriesRows));
  FigureJson figure;
  Axis y{.title = "", .downwards = true};
  for (const SeriesOfNight& each : series) y.tick_texts.push_back(each.name);
  for (std::size_t group = 0; group < kSeriesGroups.size(); ++group) {
    std::vector<double> places;
    std::vector<double> changes;
    std::vector<std::string> hovers;
    for (std::size_t i = 0; i < series.size(); ++i) {
      const SeriesOfNight& each = series[i];
      if (static_cast<std::size_t>(rank_of(each)) != group) continue;
      places.push_back(static_cast<double>(i));
      changes.push_back(kInPercent * *each.change);
      std::vector<std::string> lines = {each.name, each.state,
                                        amount_or_dash(each.value, each.unit) + ", usual " +
                                            amount_or_dash(each.usual, each.unit) + ", " +
                                            change_words(each.change)};
      if (each.normalised_change) {
        lines.push_back("per control case " + change_words(each.normalised_change));
      }
      if (!each.alert.empty()) lines.push_back(each.alert);
      if (!each.why.empty()) lines.push_back(each.why);
      hovers.push_back(hover_text(lines));
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
  return document::Figure{
      .title = "Tonight against the usual",
      .alt = text::counted(std::ssize(series), "series") + ", the largest change " +
             change_words(series.front().change) + " of " + series.front().name + '.',
      .json = figure.take(),
      .note = all > kMaxSeriesRows
                  ? "The " + std::to_string(kMaxSeriesRows) + " of " + std::to_string(all) +
                        " series that moved most; the table above has all."
                  : "",
      .height_px = static_cast<int>(140 + 24 * series.size())};
}

std::optional<document::Table> environment_table(const json::LineObject& source) {
  document::Table table{.title = "What changed in the environment since the night before",
                        .columns = {document::words("experiment"),
                                    document::words("field"),
                                    document::words("before"),
                                    document::words("tonight"),
                                    {.head = "series"}},
                        .rows = {}};
  for_objects_of(source, "environment", [&](const json::LineObject& change) {
    const std::int64_t series = change.integer("series");
    table.rows.push_back({.cells = {change.text("experiment"),
                                    change.text("field"),
                                    change.text("before"),
                                    change.text("tonight"),
                                    {std::to_string(series), static_cast<double>(series)}}});
  });
  if (table.rows.empty()) return std::nullopt;
  return table;
}

}  // namespace

std::optional<document::Chapter> night_section(std::string_view night) {
  json::LineParser parser;
  const json::LineObject source = parser.parse(night, json::LineParser::Padding::kNone).object;
  if (source.text("schema") != kNightSchema || !source.text("version").starts_with("1.")) {
    throw json::LineError("schema '" + source.text("schema") + ' ' + source.text("version") +
                          "' is no " + std::string(kNightSchema) + " 1.x");
  }
  if (const std::string error = source.text("error"); !error.empty()) {
    throw json::LineError("holds no night: " + error);
  }
  std::vector<SeriesOfNight> series;
  for_objects_of(source, "series",
                 [&](const json::LineObject& one) { series.push_back(read_series(one)); });
  document::Chapter section{.id = "night", .title = "Tonight against the usual", .blocks = {}};
  for_objects_of(source, "alerts", [&](const json::LineObject& alert) {
    section.blocks.emplace_back(document::Paragraph{
        alert.text("text"), alert.flag("worse") ? document::Tone::kBad : document::Tone::kPlain});
  });
  if (auto figure = changes_figure(std::move(series))) {
    section.blocks.emplace_back(std::move(*figure));
  }
  if (auto table = environment_table(source)) section.blocks.emplace_back(std::move(*table));
  if (section.blocks.empty()) return std::nullopt;
  return section;
}

}  // namespace stepbench::report
