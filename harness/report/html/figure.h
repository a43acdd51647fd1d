// SPDX-License-Identifier: Apache-2.0
// What the figures of a report share: colours, texts and numbers as Plotly takes them, axes, and
// the frame {"data":[…],"layout":{…}}. A figure has no colours of its own for text, background and
// grid: the script of the page sets those of the theme. Pure; any thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "harness/base/enum_names.h"
#include "harness/json/json_text.h"
#include "harness/stats/interval.h"

namespace stepbench::report {

// Three hues of Okabe and Ito (2008) and two darker variants of theirs, which people who see few
// colours tell apart; each has a contrast of 3 or more with a white and with a nearly black page
// (WCAG 1.4.11). From the seventh on they begin anew: vary dash or symbol too.
inline constexpr std::string_view kSeriesColours[] = {"#0072B2", "#D55E00", "#CC79A7",
                                                      "#B87F00", "#3A93C9", "#7F7F7F"};
// Of no series, so that they say one thing everywhere.
inline constexpr std::string_view kBestColour = "#009E73";
inline constexpr std::string_view kBadColour = "#DC3545";
inline constexpr std::string_view kPlainColour = kSeriesColours[0];
inline constexpr std::string_view kDimColour = kSeriesColours[5];
// Of magnitudes: it rises in lightness for every kind of sight (Nunez and others, 2018).
inline constexpr const char* kColourScale = "Cividis";

[[nodiscard]] constexpr std::string_view series_colour(std::size_t place) {
  return kSeriesColours[place % std::size(kSeriesColours)];
}
// "solid", "dash", "dot", "dashdot": another one for each round of the colours.
[[nodiscard]] std::string_view series_dash(std::size_t place);
// "circle", "square", …: likewise.
[[nodiscard]] std::string_view series_symbol(std::size_t place);

// Any text as Plotly shows it: printable, without its pseudo-HTML (<b>, <a>, &amp;) and its
// templates (%{x}), at most `cells` wide. All texts of a figure that are not written here go
// through it.
[[nodiscard]] std::string plotly_text(std::string_view text, std::size_t cells = 120);
// The lines of one point's hover, each by plotly_text().
[[nodiscard]] std::string hover_text(std::span<const std::string> lines);

inline constexpr double kNsPerMs = 1e6;

// Enough for any screen, and a third of the bytes.
inline constexpr int kFigureDigits = 5;
[[nodiscard]] double rounded(double value, int digits = kFigureDigits);
// Rounded; null where a value is not finite.
void add_numbers(json::JsonText& json, std::string_view key, std::span<const double> values,
                 int digits = kFigureDigits);
void add_number(json::JsonText& json, std::string_view key, double value,
                int digits = kFigureDigits);
// One for each point, by hover_text() already; what else Plotly would tell of a point is left out.
void add_hovers(json::JsonText& json, std::span<const std::string> hovers);
// Each by plotly_text().
void add_texts(json::JsonText& json, std::string_view key, std::span<const std::string> texts);
// As error bars, "error_y" or "error_x". An interval that holds NaN or an infinity has none there.
// Without a colour they have that of their marks, which must be one.
void add_intervals(json::JsonText& json, std::string_view key, std::span<const double> centres,
                   std::span<const stats::Interval> intervals, std::string_view colour = {});

// The width of a name at an axis; a wider one is cut out of its middle.
inline constexpr std::size_t kTickCells = 72;

enum class AxisKind : std::uint8_t { kLinear, kLog, kDate };
constexpr EnumNames<3> names_of(AxisKind) { return {"linear", "log", "date"}; }

struct Axis {
  std::string title = {};  // plain, with its unit: "step [ms]"
  AxisKind kind = AxisKind::kLinear;
  bool from_zero = false;  // for lengths and areas, which lie without it
  // Plain words at `ticks`, or at 0, 1, 2… where that is empty: an axis of names. Places and not
  // names are its coordinates, so that names may be alike. Of very many only some are written.
  std::vector<std::string> tick_texts = {};
  std::vector<double> ticks = {};
  bool downwards = false;    // 0 on top
  std::string domain = {};   // "0.5,1" of the figure's width or height; empty: all of it
  std::string range = {};    // the two ends of it as JSON, "0,2"; empty: by what is drawn
  std::string anchor = {};   // "y2"
  std::string matches = {};  // "y": has the range of that one
  bool grid = true;
  bool ticks_shown = true;
};
void add_axis(json::JsonText& json, std::string_view key, const Axis& axis);

// Traces first, then what is special about the layout.
class FigureJson {
 public:
  FigureJson();
  // Its members follow by the caller; close_trace() ends it.
  json::JsonText& open_trace(std::string_view type, std::string_view name = {});
  void close_trace();
  // The members of the layout follow. The legend stands above the plot, at this height of it.
  json::JsonText& layout(double legend_y = 1.02);
  [[nodiscard]] std::string take();
  [[nodiscard]] std::size_t traces() const { return traces_; }

 private:
  json::JsonText json_;
  std::size_t traces_ = 0;
  bool in_layout_ = false;
};

// What points of one kind are drawn as: colours differ, and so do the marks.
struct MarkLook {
  std::string_view name;
  std::string_view colour;
  std::string_view symbol;
};
void add_marker(json::JsonText& json, const MarkLook& look, int size);

// Horizontal bars from the top down, at 0, 1, 2…, each of its own colour: the only trace of a
// figure.
void add_bars(FigureJson& figure, std::span<const double> lengths,
              std::span<const std::string> hovers, std::span<const std::string> colours);
// 0, 1, 2…: the coordinates of an axis of names.
[[nodiscard]] std::vector<double> places_of(std::size_t count);

}  // namespace stepbench::report
