// SPDX-License-Identifier: Apache-2.0
#include "harness/report/html/figure.h"

#include <array>
#include <charconv>
#include <cmath>
#include <iterator>
#include <limits>
#include <numeric>

#include "harness/text/printable.h"
#include "harness/text/utf8.h"
#include "harness/text/words.h"

namespace stepbench::report {
namespace {

template <std::size_t kCount>
std::string_view of_round(const std::array<std::string_view, kCount>& names, std::size_t place) {
  return names.at((place / std::size(kSeriesColours)) % kCount);
}

// By to_chars alone: "53.2", not "53.20000".
std::string_view digits_of(double value, int digits, std::array<char, 40>& buffer) {
  const auto end = std::to_chars(buffer.data(), buffer.data() + buffer.size(), value,
                                 std::chars_format::general, digits)
                       .ptr;
  return {buffer.data(), static_cast<std::size_t>(end - buffer.data())};
}

constexpr std::size_t kLegendCells = 60;
constexpr std::size_t kMaxTicks = 50;  // more names would be written over each other

void add_ticks(json::JsonText& json, const Axis& axis) {
  const std::size_t each = (axis.tick_texts.size() + kMaxTicks - 1) / kMaxTicks;
  std::vector<double> places;
  json.text("tickmode", "array").open_array("ticktext");
  for (std::size_t i = 0; i < axis.tick_texts.size(); i += each) {
    json.text({},
              plotly_text(text::shortened_inside(text::printable(axis.tick_texts[i]), kTickCells)));
    places.push_back(axis.ticks.empty() ? static_cast<double>(i) : axis.ticks[i]);
  }
  json.close_array();
  if (axis.ticks.empty()) json.flag("zeroline", false);
  add_numbers(json, "tickvals", places, std::numeric_limits<double>::max_digits10);
}

}  // namespace

std::string_view series_dash(std::size_t place) {
  constexpr std::array<std::string_view, 4> kDashes = {"solid", "dash", "dot", "dashdot"};
  return of_round(kDashes, place);
}

std::string_view series_symbol(std::size_t place) {
  constexpr std::array<std::string_view, 5> kSymbols = {"circle", "square", "diamond",
                                                        "triangle-up", "cross"};
  return of_round(kSymbols, place);
}

std::string plotly_text(std::string_view text, std::size_t cells) {
  // A text of a megabyte is cut before it is walked; a character has four bytes at most.
  const std::string shown = text::shortened(text::printable(text.substr(0, 4 * cells + 4)), cells);
  std::string escaped;
  escaped.reserve(shown.size());
  for (std::size_t i = 0; i < shown.size(); ++i) {
    const char c = shown[i];
    if (c == '&') {
      escaped += "&amp;";
    } else if (c == '<') {
      escaped += "&lt;";
    } else if (c == '>') {
      escaped += "&gt;";
    } else if (c == '%' && i + 1 < shown.size() && shown[i + 1] == '{') {
      escaped += "&#37;";
    } else {
      escaped += c;
    }
  }
  return escaped;
}

std::string hover_text(std::span<const std::string> lines) {
  return text::join(lines, "<br>", [](const std::string& line) { return plotly_text(line); });
}

void add_hovers(json::JsonText& json, std::span<const std::string> hovers) {
  json.texts("hovertext", hovers).text("hoverinfo", "text");
}

double rounded(double value, int digits) {
  if (!std::isfinite(value)) return value;
  std::array<char, 40> buffer{};
  const std::string_view text = digits_of(value, digits, buffer);
  double back = value;
  std::from_chars(text.data(), text.data() + text.size(), back);
  return back;
}

void add_number(json::JsonText& json, std::string_view key, double value, int digits) {
  if (!std::isfinite(value)) {
    json.null(key);
    return;
  }
  std::array<char, 40> buffer{};
  json.json(key, digits_of(value, digits, buffer));
}

void add_numbers(json::JsonText& json, std::string_view key, std::span<const double> values,
                 int digits) {
  std::string list = "[";
  std::array<char, 40> buffer{};
  for (const double value : values) {
    if (list.size() > 1) list += ',';
    list += std::isfinite(value) ? digits_of(value, digits, buffer) : std::string_view("null");
  }
  json.json(key, list + ']');
}

void add_texts(json::JsonText& json, std::string_view key, std::span<const std::string> texts) {
  json.open_array(key);
  for (const std::string& each : texts) json.text({}, plotly_text(each));
  json.close_array();
}

void add_intervals(json::JsonText& json, std::string_view key, std::span<const double> centres,
                   std::span<const stats::Interval> intervals, std::string_view colour) {
  std::vector<double> above;
  std::vector<double> below;
  bool any = false;
  for (std::size_t i = 0; i < intervals.size(); ++i) {
    above.push_back(intervals[i].high - centres[i]);
    below.push_back(centres[i] - intervals[i].low);
    any = any || std::isfinite(above.back()) || std::isfinite(below.back());
  }
  if (!any) return;
  json.open_object(key).text("type", "data").flag("symmetric", false);
  add_numbers(json, "array", above);
  add_numbers(json, "arrayminus", below);
  if (!colour.empty()) json.text("color", colour);
  json.close_object();
}

void add_axis(json::JsonText& json, std::string_view key, const Axis& axis) {
  json.open_object(key).text("type", name_of(axis.kind)).flag("automargin", true);
  if (!axis.title.empty()) {
    json.open_object("title").text("text", plotly_text(axis.title)).close_object();
  }
  if (axis.from_zero) json.text("rangemode", "tozero");
  if (!axis.ticks_shown) {
    json.flag("showticklabels", false);
  } else if (!axis.tick_texts.empty()) {
    add_ticks(json, axis);
  }
  if (axis.downwards) json.text("autorange", "reversed");
  if (!axis.domain.empty()) json.json("domain", '[' + axis.domain + ']');
  if (!axis.range.empty()) json.json("range", '[' + axis.range + ']');
  if (!axis.anchor.empty()) json.text("anchor", axis.anchor);
  if (!axis.matches.empty()) json.text("matches", axis.matches);
  if (!axis.grid) json.flag("showgrid", false);
  json.close_object();
}

FigureJson::FigureJson() { json_.open_object().open_array("data"); }

json::JsonText& FigureJson::open_trace(std::string_view type, std::string_view name) {
  ++traces_;
  json_.open_object().text("type", type);
  if (!name.empty()) json_.text("name", plotly_text(name, kLegendCells));
  return json_;
}

void FigureJson::close_trace() { json_.close_object(); }

json::JsonText& FigureJson::layout(double legend_y) {
  if (in_layout_) return json_;
  in_layout_ = true;
  json_.close_array().open_object("layout").text("hovermode", "closest");
  json_.json("margin", R"({"l":60,"r":20,"t":20,"b":50})");
  json_.open_object("legend").text("orientation", "h").integer("x", 0).number("y", legend_y);
  json_.text("yanchor", "bottom").text("traceorder", "normal").close_object();
  return json_;
}

std::string FigureJson::take() {
  layout().close_object().close_object();
  return json_.take();
}

void add_marker(json::JsonText& json, const MarkLook& look, int size) {
  json.open_object("marker").text("color", look.colour).text("symbol", look.symbol);
  json.integer("size", size).close_object();
}

void add_bars(FigureJson& figure, std::span<const double> lengths,
              std::span<const std::string> hovers, std::span<const std::string> colours) {
  json::JsonText& json = figure.open_trace("bar");
  json.text("orientation", "h");
  add_numbers(json, "x", lengths);
  add_numbers(json, "y", places_of(lengths.size()));
  add_hovers(json, hovers);
  json.open_object("marker").texts("color", colours).close_object();
  figure.close_trace();
}

std::vector<double> places_of(std::size_t count) {
  std::vector<double> places(count);
  std::iota(places.begin(), places.end(), 0.0);
  return places;
}

}  // namespace stepbench::report
