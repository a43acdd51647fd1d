// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <cmath>

#include "harness/report/html/analysis_charts.h"
#include "harness/report/html/figure.h"
#include "harness/report/html/ranks_section.h"
#include "harness/text/numbers.h"
#include "harness/text/words.h"

namespace stepbench::report {
namespace {

constexpr std::size_t kMaxLanes = 64;
constexpr std::size_t kMostPieces = 2000;  // of a kind: more are no longer told apart

struct LaneKind {
  std::string_view name;
  std::string_view colour;
  std::string_view pattern;
};
constexpr LaneKind kOwnWork = {"own work", kPlainColour, ""};
constexpr LaneKind kWaiting = {"waiting for others", kSeriesColours[3], "/"};
constexpr LaneKind kExchanging = {"exchanging", kSeriesColours[2], "x"};

// Pieces of one kind, of all lanes.
struct Pieces {
  std::vector<double> begins;
  std::vector<double> lengths;
  std::vector<double> places;
  std::vector<std::string> hovers;

  void add(const LaneKind& kind, std::int64_t rank, std::size_t place,
           const analyze::IntervalSet& moments) {
    for (const analyze::TimeSpan& span : moments) {
      if (begins.size() == kMostPieces) return;
      begins.push_back(double(span.begin_ns) / kNsPerMs);
      lengths.push_back(double(span.length_ns()) / kNsPerMs);
      places.push_back(double(place));
      const std::vector<std::string> lines = {"rank " + std::to_string(rank) + ": " +
                                                  std::string(kind.name) + ' ' +
                                                  text::duration(double(span.length_ns())),
                                              "from " + text::duration(double(span.begin_ns)) +
                                                  " to " + text::duration(double(span.end_ns))};
      hovers.push_back(hover_text(lines));
    }
  }

  void draw(const LaneKind& kind, FigureJson& figure) const {
    json::JsonText& json = figure.open_trace("bar", kind.name);
    json.text("orientation", "h");
    add_numbers(json, "base", begins);
    add_numbers(json, "x", lengths);
    add_numbers(json, "y", places);
    add_hovers(json, hovers);
    json.open_object("marker").text("color", kind.colour).open_object("pattern");
    json.text("shape", kind.pattern).text("fillmode", "overlay").close_object().close_object();
    figure.close_trace();
  }
};

}  // namespace

std::optional<document::Figure> lanes_figure(const analyze::RankReport& report) {
  if (report.lanes.empty()) return std::nullopt;
  const std::size_t lanes = std::min(kMaxLanes, report.lanes.size());
  Pieces own;
  Pieces waiting;
  Pieces exchanging;
  std::vector<std::string> names;
  for (std::size_t i = 0; i < lanes; ++i) {
    const analyze::RankLane& lane = report.lanes[i];
    const std::int64_t rank = report.rows[i].rank;
    names.push_back("rank " + std::to_string(rank));
    own.add(kOwnWork, rank, i, analyze::IntervalSet(lane.step) - lane.waits - lane.exchanges);
    waiting.add(kWaiting, rank, i, lane.waits);
    exchanging.add(kExchanging, rank, i, lane.exchanges);
  }
  FigureJson figure;
  own.draw(kOwnWork, figure);
  waiting.draw(kWaiting, figure);
  exchanging.draw(kExchanging, figure);
  json::JsonText& layout = figure.layout();
  layout.text("barmode", "overlay");
  const bool one_clock = report.skew_mean_ns.has_value();
  add_axis(layout, "xaxis",
           {.title = one_clock ? "since the first rank began the step [ms]"
                               : "since the rank began the step [ms]"});
  add_axis(layout, "yaxis", {.tick_texts = names, .downwards = true, .grid = false});
  std::string note =
      one_clock ? "" : "The clocks of the ranks cannot be compared: each lane begins at 0. ";
  if (lanes < report.lanes.size()) {
    note += "Drawn are the first " + std::to_string(lanes) + " of " +
            std::to_string(report.lanes.size()) + " ranks. ";
  }
  return document::Figure{
      .title = "Step " + std::to_string(report.lanes_step) + " on each rank",
      .alt = "A lane for each of " + text::counted(std::ssize(names), "rank") +
             ": when it works, waits for others and exchanges in a step of middle length.",
      .json = figure.take(),
      .note = note + "A step of middle length.",
      .height_px = 170 + 34 * static_cast<int>(lanes)};
}

std::optional<document::Figure> waits_figure(const WaitMatrix& matrix) {
  if (matrix.empty()) return std::nullopt;
  std::vector<std::string> names;
  for (const std::int64_t rank : matrix.ranks) names.push_back("rank " + std::to_string(rank));
  FigureJson figure;
  json::JsonText& json = figure.open_trace("heatmap");
  json.open_array("z");
  for (const std::vector<double>& line : matrix.ns) {
    std::vector<double> in_ms;
    for (const double ns : line) in_ms.push_back(ns / kNsPerMs);
    add_numbers(json, {}, in_ms);
  }
  json.close_array();
  constexpr std::size_t kWritten = 12;  // ranks: of more the numbers have no room
  const bool written = names.size() <= kWritten;
  const auto add_words = [&](const char* key, const auto& words) {
    json.open_array(key);
    for (std::size_t i = 0; i < names.size(); ++i) {
      json.open_array();
      for (std::size_t j = 0; j < names.size(); ++j) json.text({}, words(i, j));
      json.close_array();
    }
    json.close_array();
  };
  if (written) {
    add_words("text", [&](std::size_t i, std::size_t j) {
      if (i == j) return std::string();
      return matrix.ns[i][j] > 0 ? text::duration(matrix.ns[i][j]) : std::string("0");
    });
    json.text("texttemplate", "%{text}");
  }
  add_words("hovertext", [&](std::size_t i, std::size_t j) {
    const std::vector<std::string> lines = {
        names[i] +
        (i == j ? " waits for nobody here"
                : " waits " + text::duration(matrix.ns[i][j]) + " per step for " + names[j])};
    return hover_text(lines);
  });
  json.text("hoverinfo", "text").text("colorscale", kColourScale);
  json.integer("xgap", 2).integer("ygap", 2);
  json.flag("showscale", !written).json("colorbar", R"({"title":{"text":"ms"}})");
  figure.close_trace();
  json::JsonText& layout = figure.layout();
  add_axis(layout, "xaxis", {.title = "is waited for", .tick_texts = names, .grid = false});
  add_axis(layout, "yaxis",
           {.title = "waits", .tick_texts = names, .downwards = true, .grid = false});
  const std::string most = names[matrix.most_waited_for()];
  constexpr int kTallest = 640;
  return document::Figure{
      .title = "Who waits for whom",
      .alt = "A square of " + text::counted(std::ssize(names), "rank") +
             ": how long each waits for each other in a step. Most is waited for " + most + '.',
      .json = figure.take(),
      .note = "Means per step of a profiled launch.",
      .height_px = std::min(kTallest, 260 + 36 * static_cast<int>(names.size()))};
}

std::optional<document::Figure> ranks_figure(const analyze::RankReport& report) {
  if (report.rows.empty()) return std::nullopt;
  struct Bar {
    std::string_view name;
    double analyze::RankRow::*of;
    std::string_view colour;
    std::string_view pattern;
  };
  constexpr std::array<Bar, 2> kBars = {
      {{"own work", &analyze::RankRow::work_ns, kPlainColour, ""},
       {"waiting for others", &analyze::RankRow::wait_ns, kSeriesColours[3], "/"}}};
  FigureJson figure;
  Axis x{.title = "rank"};
  for (const analyze::RankRow& row : report.rows) {
    const bool slow = report.straggler && report.straggler->rank == row.rank;
    x.tick_texts.push_back(std::to_string(row.rank) + (slow ? " (straggler)" : ""));
  }
  for (const Bar& bar : kBars) {
    std::vector<double> values;
    std::vector<std::string> hovers;
    for (const analyze::RankRow& row : report.rows) {
      values.push_back(row.*bar.of / kNsPerMs);
      std::vector<std::string> lines = {
          "rank " + std::to_string(row.rank),
          std::string(bar.name) + ' ' + text::duration(row.*bar.of) + " of a step of " +
              text::duration(row.step_ns),
          "entered last in " + text::counted(row.entered_last, "collective") + ", slowest in " +
              text::counted(row.slowest_in, "step")};
      if (row.hidden_share) {
        lines.push_back(text::percent_text(*row.hidden_share) + " of its communication is hidden");
      }
      hovers.push_back(hover_text(lines));
    }
    json::JsonText& json = figure.open_trace("bar", bar.name);
    add_numbers(json, "x", places_of(values.size()));
    add_numbers(json, "y", values);
    add_hovers(json, hovers);
    json.open_object("marker").text("color", bar.colour).open_object("pattern");
    json.text("shape", bar.pattern).text("fillmode", "overlay").close_object().close_object();
    figure.close_trace();
  }
  json::JsonText& layout = figure.layout();
  layout.text("barmode", "stack");
  add_axis(layout, "xaxis", x);
  add_axis(layout, "yaxis", {.title = "mean per step [ms]", .from_zero = true});
  std::string alt =
      text::counted(std::ssize(report.rows), "rank") + ": own work and waiting for others";
  if (report.straggler)
    alt += "; rank " + std::to_string(report.straggler->rank) + " is the slowest";
  return document::Figure{.title = "Which rank the others wait for",
                          .alt = alt + '.',
                          .json = figure.take(),
                          .note = "Means over " + text::counted(report.steps, "common step") +
                                  ", " + text::counted(report.collectives, "matched collective") +
                                  '.',
                          .height_px = 380};
}

}  // namespace stepbench::report
