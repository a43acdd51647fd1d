// SPDX-License-Identifier: Apache-2.0
#include "harness/report/html/analysis_charts.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "harness/report/analysis_words.h"
#include "harness/report/html/figure.h"
#include "harness/text/numbers.h"
#include "harness/text/words.h"

namespace stepbench::report {
namespace {

constexpr std::size_t kMaxStepsDrawn = 400;

// The device's work in hues, idle time in hues with a pattern: both kinds stay apart without
// colours.
struct PartLook {
  std::string_view colour;
  std::string_view pattern;
};
PartLook look_of(std::size_t part) {
  constexpr std::array<PartLook, 11> kLooks = {{{kSeriesColours[0], ""},
                                                {kSeriesColours[4], ""},
                                                {kSeriesColours[2], ""},
                                                {kSeriesColours[1], "/"},
                                                {kSeriesColours[3], "/"},
                                                {kSeriesColours[2], "/"},
                                                {kSeriesColours[1], "x"},
                                                {kSeriesColours[0], "/"},
                                                {kSeriesColours[3], "x"},
                                                {kSeriesColours[2], "x"},
                                                {kDimColour, "."}}};
  return kLooks.at(part % kLooks.size());
}

void add_look(json::JsonText& json, std::size_t part) {
  const PartLook look = look_of(part);
  json.open_object("marker").text("color", look.colour);
  if (!look.pattern.empty()) {
    json.open_object("pattern").text("shape", look.pattern).text("fillmode", "overlay");
    json.json("size", "6").close_object();
  }
  json.close_object();
}

std::string step_name(const analyze::Step& step, bool counts) {
  std::string text = "step " + std::to_string(step.number);
  if (step.truncated) text += ", cut off by the end of the recording";
  if (!counts) text += step.edge ? ", first or last: in no mean" : ", in no mean";
  return text;
}

bool any_of_part(const analyze::IdleReport& report, const analyze::StepPart& part) {
  return std::any_of(report.steps.begin(), report.steps.end(),
                     [&](const analyze::StepTime& step) { return part.of(step) != 0; });
}

document::Table steps_table(const AnalysedTrace& analysed, const analyze::IdleReport& report) {
  const analyze::Steps& steps = analysed.analysis.steps;
  document::Table table{.title = "Every step of the trace [ms]",
                        .columns = {{.head = "step"}, {.head = "wall"}},
                        .rows = {}};
  std::vector<const analyze::StepPart*> parts;
  for (const analyze::StepPart& part : analyze::step_parts()) {
    if (!any_of_part(report, part)) continue;
    parts.push_back(&part);
    table.columns.push_back({.head = words_of_part(part.name, report.scope)});
  }
  table.columns.push_back(document::words("counts"));
  const std::vector<std::size_t> counted_steps = steps.counted();
  const auto cell = [](std::int64_t ns) {
    const double ms = static_cast<double>(ns) / kNsPerMs;
    return document::Cell{ns == 0 ? "0" : text::significant(ms), ms};
  };
  for (std::size_t i = 0; i < report.steps.size() && i < steps.steps.size(); ++i) {
    const analyze::StepTime& step = report.steps[i];
    const std::int64_t number = steps.steps[i].number;
    std::vector<document::Cell>& cells = table.rows.emplace_back().cells;
    cells.push_back({std::to_string(number), static_cast<double>(number)});
    cells.push_back(cell(step.wall_ns));
    for (const analyze::StepPart* part : parts) cells.push_back(cell(part->of(step)));
    const bool counts =
        std::find(counted_steps.begin(), counted_steps.end(), i) != counted_steps.end();
    cells.push_back(counts ? "yes" : "no");
  }
  return table;
}

// Of the steps that count, their mean.
std::optional<document::Figure> mean_figure(const AnalysedTrace& analysed,
                                            const analyze::IdleReport& report) {
  const std::vector<std::size_t> counts = analysed.analysis.steps.counted();
  if (counts.empty() || report.counted.wall_ns <= 0) return std::nullopt;
  const auto steps = static_cast<double>(counts.size());
  std::vector<std::string> names;
  std::vector<double> means;
  std::vector<std::string> hovers;
  std::vector<std::string> colours;
  std::vector<std::string> told;
  for (std::size_t i = 0; i < analyze::step_parts().size(); ++i) {
    const analyze::StepPart& part = analyze::step_parts()[i];
    const std::int64_t total_ns = part.of(report.counted);
    if (total_ns == 0) continue;
    const double mean_ns = static_cast<double>(total_ns) / steps;
    const std::string name = words_of_part(part.name, report.scope);
    const std::string words = text::duration(mean_ns) + ", " +
                              text::percent_text(static_cast<double>(total_ns) /
                                                 static_cast<double>(report.counted.wall_ns));
    names.push_back(name);
    means.push_back(mean_ns / kNsPerMs);
    hovers.push_back(plotly_text(name + ": " + words));
    colours.emplace_back(look_of(i).colour);
    told.push_back(name + ' ' + words);
  }
  FigureJson figure;
  add_bars(figure, means, hovers, colours);
  json::JsonText& layout = figure.layout();
  add_axis(layout, "xaxis", {.title = "mean of the counted steps [ms]", .from_zero = true});
  add_axis(layout, "yaxis", {.title = "", .tick_texts = names, .downwards = true});
  layout.flag("showlegend", false);
  return document::Figure{
      .title = "Parts of a step",
      .alt = "Of a step of " + text::duration(static_cast<double>(report.counted.wall_ns) / steps) +
             ": " + text::join(told, "; ") + '.',
      .json = figure.take(),
      .note = "Mean of " + text::counted(std::int64_t(counts.size()), "step") +
              "; the parts sum to the step.",
      .height_px = static_cast<int>(120 + 30 * names.size())};
}

}  // namespace

std::optional<document::Figure> steps_figure(const AnalysedTrace& analysed) {
  const analyze::IdleReport* report = analysed.analysis.idle_of(analysed.device);
  const analyze::Steps& steps = analysed.analysis.steps;
  if (report == nullptr || report->steps.empty()) return std::nullopt;
  const std::size_t shown = std::min({report->steps.size(), steps.steps.size(), kMaxStepsDrawn});
  const std::vector<std::size_t> counts = steps.counted();
  FigureJson figure;
  for (std::size_t i = 0; i < analyze::step_parts().size(); ++i) {
    const analyze::StepPart& part = analyze::step_parts()[i];
    if (!any_of_part(*report, part)) continue;
    const std::string name = words_of_part(part.name, report->scope);
    std::vector<double> numbers;
    std::vector<double> values;
    std::vector<std::string> hovers;
    for (std::size_t step = 0; step < shown; ++step) {
      const analyze::StepTime& time = report->steps[step];
      const std::int64_t ns = part.of(time);
      numbers.push_back(static_cast<double>(steps.steps[step].number));
      values.push_back(static_cast<double>(ns) / kNsPerMs);
      const bool counted_step = std::find(counts.begin(), counts.end(), step) != counts.end();
      std::string share;
      if (time.wall_ns > 0) {
        share = ", " +
                text::percent_text(static_cast<double>(ns) / static_cast<double>(time.wall_ns)) +
                " of " + text::duration(static_cast<double>(time.wall_ns));
      }
      hovers.push_back(hover_text(
          std::vector<std::string>{step_name(steps.steps[step], counted_step),
                                   name + ' ' + text::duration(static_cast<double>(ns)) + share}));
    }
    json::JsonText& json = figure.open_trace("bar", name);
    add_numbers(json, "x", numbers, 12);
    add_numbers(json, "y", values);
    add_hovers(json, hovers);
    add_look(json, i);
    figure.close_trace();
  }
  json::JsonText& layout = figure.layout();
  layout.text("barmode", "stack");
  add_axis(layout, "xaxis", {.title = "step"});
  add_axis(layout, "yaxis", {.title = "time [ms]", .from_zero = true});
  std::string note =
      "The parts of a step sum to it. The first and the last step, and those that "
      "are not whole, count in no mean.";
  if (shown < report->steps.size()) {
    note += " The first " + std::to_string(shown) + " of " +
            text::with_separators(std::ssize(report->steps)) + " steps.";
  }
  return document::Figure{.title = "Where the time of each step went",
                          .alt = text::counted(std::int64_t(shown), "step") +
                                 ", each a stack of what the device did and of why it was idle.",
                          .json = figure.take(),
                          .note = note};
}

std::optional<document::Chapter> trace_section(const AnalysedTrace& analysed,
                                               const std::string& id) {
  const analyze::IdleReport* report = analysed.analysis.idle_of(analysed.device);
  auto figure = steps_figure(analysed);
  if (report == nullptr || !figure) return std::nullopt;
  document::Chapter section{.id = id, .title = "Steps of the trace", .blocks = {}};
  section.blocks.emplace_back(std::move(*figure));
  if (auto parts = mean_figure(analysed, *report)) section.blocks.emplace_back(std::move(*parts));
  section.blocks.emplace_back(steps_table(analysed, *report));
  return section;
}

}  // namespace stepbench::report
