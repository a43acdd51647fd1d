// SPDX-License-Identifier: Apache-2.0
#include <array>

#include "harness/report/html/analysis_charts.h"
#include "harness/report/html/figure.h"
#include "harness/text/numbers.h"
#include "harness/text/words.h"

namespace stepbench::report {
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
