// SPDX-License-Identifier: Apache-2.0
#include "harness/report/html/analysis_charts.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "harness/analyze/row_names.h"
#include "harness/report/analysis_sections.h"
#include "harness/report/html/figure.h"
#include "harness/text/numbers.h"
#include "harness/text/words.h"

namespace stepbench {
namespace {

constexpr std::size_t kMaxStepsDrawn = 400;
constexpr std::size_t kMaxDiffRows = 20;  // of a figure; the tables have all
constexpr double kNanosecondsPerMs = 1e6;

// The device's work in hues, idle time in hues with a pattern: both kinds stay apart without
// colours.
struct PartLook {
  std::string_view colour;
  std::string_view pattern;
};
PartLook look_of(std::size_t part) {
  constexpr std::array<PartLook, 10> kLooks = {{{kSeriesColours[0], ""},
                                                {kSeriesColours[4], ""},
                                                {kSeriesColours[2], ""},
                                                {kSeriesColours[1], "/"},
                                                {kSeriesColours[3], "/"},
                                                {kSeriesColours[2], "/"},
                                                {kSeriesColours[1], "x"},
                                                {kSeriesColours[3], "x"},
                                                {kSeriesColours[2], "x"},
                                                {kDimColour, "."}}};
  return kLooks.at(part % kLooks.size());
}

void add_look(JsonText& json, std::size_t part) {
  const PartLook look = look_of(part);
  json.open_object("marker").text("color", look.colour);
  if (!look.pattern.empty()) {
    json.open_object("pattern").text("shape", look.pattern).text("fillmode", "overlay");
    json.json("size", "6").close_object();
  }
  json.close_object();
}

std::string step_name(const Step& step, bool counts) {
  std::string text = "step " + std::to_string(step.number);
  if (step.truncated) text += ", cut off by the end of the recording";
  if (!counts) text += step.edge ? ", first or last: in no mean" : ", in no mean";
  return text;
}

bool any_of_part(const IdleReport& report, const StepPart& part) {
  return std::any_of(report.steps.begin(), report.steps.end(),
                     [&](const StepTime& step) { return part.of(step) != 0; });
}

PageTable steps_table(const AnalysedTrace& analysed, const IdleReport& report) {
  const Steps& steps = analysed.analysis.steps;
  PageTable table{.title = "Every step of the trace [ms]",
                  .columns = {{.head = "step", .number = true}, {.head = "wall", .number = true}},
                  .rows = {}};
  std::vector<const StepPart*> parts;
  for (const StepPart& part : step_parts()) {
    if (!any_of_part(report, part)) continue;
    parts.push_back(&part);
    table.columns.push_back({.head = words_of_part(part.name, report.scope), .number = true});
  }
  table.columns.push_back({.head = "counts"});
  const std::vector<std::size_t> counted_steps = steps.counted();
  const auto cell = [](std::int64_t ns) {
    const double ms = static_cast<double>(ns) / kNanosecondsPerMs;
    return PageCell{.text = ns == 0 ? "0" : significant(ms), .value = ms};
  };
  for (std::size_t i = 0; i < report.steps.size() && i < steps.steps.size(); ++i) {
    const StepTime& step = report.steps[i];
    const std::int64_t number = steps.steps[i].number;
    std::vector<PageCell>& cells = table.rows.emplace_back();
    cells.push_back({.text = std::to_string(number), .value = static_cast<double>(number)});
    cells.push_back(cell(step.wall_ns));
    for (const StepPart* part : parts) cells.push_back(cell(part->of(step)));
    const bool counts =
        std::find(counted_steps.begin(), counted_steps.end(), i) != counted_steps.end();
    cells.push_back({.text = counts ? "yes" : "no"});
  }
  return table;
}

// Of the steps that count, their mean.
std::optional<Figure> mean_figure(const AnalysedTrace& analysed, const IdleReport& report) {
  const std::vector<std::size_t> counts = analysed.analysis.steps.counted();
  if (counts.empty() || report.counted.wall_ns <= 0) return std::nullopt;
  const auto steps = static_cast<double>(counts.size());
  std::vector<std::string> names;
  std::vector<double> means;
  std::vector<std::string> hovers;
  std::vector<std::string> colours;
  std::vector<std::string> told;
  for (std::size_t i = 0; i < step_parts().size(); ++i) {
    const StepPart& part = step_parts()[i];
    const std::int64_t total_ns = part.of(report.counted);
    if (total_ns == 0) continue;
    const double mean_ns = static_cast<double>(total_ns) / steps;
    const std::string name = words_of_part(part.name, report.scope);
    const std::string words =
        duration(mean_ns) + ", " +
        percent_text(static_cast<double>(total_ns) / static_cast<double>(report.counted.wall_ns));
    names.push_back(name);
    means.push_back(mean_ns / kNanosecondsPerMs);
    hovers.push_back(plotly_text(name + ": " + words));
    colours.emplace_back(look_of(i).colour);
    told.push_back(name + ' ' + words);
  }
  std::vector<double> places(names.size());
  for (std::size_t i = 0; i < places.size(); ++i) places[i] = static_cast<double>(i);
  FigureJson figure;
  JsonText& json = figure.open_trace("bar");
  json.text("orientation", "h");
  add_numbers(json, "x", means);
  add_numbers(json, "y", places);
  json.texts("hovertext", hovers).text("hoverinfo", "text");
  json.open_object("marker").texts("color", colours).close_object();
  figure.close_trace();
  JsonText& layout = figure.layout();
  add_axis(layout, "xaxis", {.title = "mean of the counted steps [ms]", .from_zero = true});
  add_axis(layout, "yaxis", {.title = "", .tick_texts = names, .downwards = true});
  layout.flag("showlegend", false);
  return Figure{.title = "Parts of a step",
                .alt = "Of a step of " +
                       duration(static_cast<double>(report.counted.wall_ns) / steps) + ": " +
                       join(told, "; ") + '.',
                .json = figure.take(),
                .note = "Mean of " + counted(std::int64_t(counts.size()), "step") +
                        "; the parts sum to the step.",
                .height_px = static_cast<int>(120 + 30 * names.size())};
}

std::optional<PageSection> rank_section(const RankReport& report, const std::string& id) {
  auto figure = ranks_figure(report);
  if (!figure) return std::nullopt;
  PageSection section{.id = id, .title = "Ranks of a job", .blocks = {}};
  if (report.straggler) {
    const Straggler& straggler = *report.straggler;
    std::string text = "rank " + std::to_string(straggler.rank) + " holds the others up: up to " +
                       duration(straggler.gain_ns) + " per step, " + percent_text(straggler.share) +
                       " of the step";
    if (!straggler.part.empty()) {
      text += "; most of it " + words_of_part(straggler.part, report.scope);
    }
    section.blocks.emplace_back(Paragraph{text + '.', Tone::kDoubt});
  } else {
    section.blocks.emplace_back(Paragraph{"No rank holds the others up.", Tone::kGood});
  }
  for (const std::string& warning : report.warnings) {
    section.blocks.emplace_back(Paragraph{warning, Tone::kDoubt});
  }
  section.blocks.emplace_back(std::move(*figure));
  PageTable table{.title = "Ranks, means per step [ms]",
                  .columns = {{.head = "rank", .number = true},
                              {.head = "step", .number = true},
                              {.head = "own work", .number = true},
                              {.head = "waiting for others", .number = true},
                              {.head = "communication", .number = true},
                              {.head = "of it exposed", .number = true},
                              {.head = "hidden [%]", .number = true},
                              {.head = "entered last", .number = true},
                              {.head = "slowest in steps", .number = true},
                              {.head = "file"}},
                  .rows = {}};
  const auto cell = [](double ns) {
    return PageCell{.text = significant(ns / kNanosecondsPerMs), .value = ns / kNanosecondsPerMs};
  };
  const auto count = [](std::int64_t number) {
    return PageCell{.text = with_separators(number), .value = static_cast<double>(number)};
  };
  for (const RankRow& row : report.rows) {
    table.rows.push_back(
        {count(row.rank),
         cell(row.step_ns),
         cell(row.work_ns),
         cell(row.wait_ns),
         cell(row.communication_ns),
         cell(row.exposed_ns),
         {.text = row.hidden_share ? percent(*row.hidden_share) : "-", .value = row.hidden_share},
         count(row.entered_last),
         count(row.slowest_in),
         {.text = row.path}});
    const bool slow = report.straggler && report.straggler->rank == row.rank;
    table.tones.push_back(slow ? Tone::kDoubt : Tone::kPlain);
  }
  section.blocks.emplace_back(std::move(table));
  return section;
}

std::string words_of_change(const DiffRow& row) {
  std::string text = duration(row.base_ns) + " -> " + duration(row.new_ns) + ", " +
                     signed_duration(row.difference_ns()) + " per step";
  if (row.noise_ns) text += "; counts from " + duration(*row.noise_ns) + " on";
  if (!row.changed()) return text + ": no more than the steps differ by";
  return text + ": " + std::string(name_of(row.change));
}

std::string name_of_row(const DiffRow& row) {
  const std::string name = short_row_name(row.name);
  return row.phase.empty() ? name : name + ", " + row.phase;
}

std::string title_of(CostKind kind) {
  switch (kind) {
    case CostKind::kOperator:
      return "Operators";
    case CostKind::kKernel:
      return "Kernels";
    case CostKind::kCall:
      return "Runtime calls";
  }
  return {};
}

// Bars to the right: longer than before.
std::optional<Figure> differences_figure(const std::string& title, const std::vector<DiffRow>& rows,
                                         const std::vector<std::string>& names) {
  if (rows.empty()) return std::nullopt;
  const std::size_t shown = std::min(rows.size(), kMaxDiffRows);
  std::vector<double> places;
  std::vector<double> differences;
  std::vector<std::string> hovers;
  std::vector<std::string> colours;
  Axis y{.title = "", .downwards = true};
  std::size_t changed = 0;
  for (std::size_t i = 0; i < shown; ++i) {
    places.push_back(static_cast<double>(i));
    differences.push_back(rows[i].difference_ns() / kNanosecondsPerMs);
    hovers.push_back(plotly_text(names[i]) + "<br>" + plotly_text(words_of_change(rows[i])));
    const std::string_view colour = !rows[i].changed()            ? kDimColour
                                    : rows[i].difference_ns() > 0 ? kBadColour
                                                                  : kBestColour;
    colours.emplace_back(colour);
    y.tick_texts.push_back(names[i]);
    changed += rows[i].changed() ? 1 : 0;
  }
  FigureJson figure;
  JsonText& json = figure.open_trace("bar");
  json.text("orientation", "h");
  add_numbers(json, "x", differences);
  add_numbers(json, "y", places);
  json.texts("hovertext", hovers).text("hoverinfo", "text");
  json.open_object("marker").texts("color", colours).close_object();
  figure.close_trace();
  JsonText& layout = figure.layout();
  add_axis(layout, "xaxis", {.title = "new less base, per step [ms]"});
  add_axis(layout, "yaxis", y);
  layout.flag("showlegend", false);
  std::string note = "Grey: no more than the steps themselves differ by.";
  if (shown < rows.size()) {
    note += " The " + std::to_string(shown) + " largest of " + std::to_string(rows.size()) + '.';
  }
  return Figure{.title = title,
                .alt = title + ": " + std::to_string(changed) + " of " + std::to_string(shown) +
                       " changed; the first: " + names.front() + ", " +
                       words_of_change(rows.front()) + '.',
                .json = figure.take(),
                .note = note,
                .height_px = static_cast<int>(130 + 26 * shown)};
}

PageTable differences_table(const std::string& title, const std::vector<DiffRow>& rows,
                            const std::vector<std::string>& names) {
  PageTable table{.title = title + " [ms per step]",
                  .columns = {{.head = "what"},
                              {.head = "base", .number = true},
                              {.head = "new", .number = true},
                              {.head = "difference", .number = true},
                              {.head = "calls before", .number = true},
                              {.head = "calls after", .number = true},
                              {.head = "change"}},
                  .rows = {}};
  const auto cell = [](double ns) {
    return PageCell{.text = significant(ns / kNanosecondsPerMs), .value = ns / kNanosecondsPerMs};
  };
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const DiffRow& row = rows[i];
    table.rows.push_back({{.text = names[i]},
                          cell(row.base_ns),
                          cell(row.new_ns),
                          cell(row.difference_ns()),
                          {.text = significant(row.base_count), .value = row.base_count},
                          {.text = significant(row.new_count), .value = row.new_count},
                          {.text = row.changed() ? std::string(name_of(row.change)) : "-"}});
    const bool longer = row.difference_ns() > 0;
    table.tones.push_back(!row.changed() ? Tone::kPlain : longer ? Tone::kBad : Tone::kGood);
  }
  return table;
}

}  // namespace

std::optional<Figure> steps_figure(const AnalysedTrace& analysed) {
  const IdleReport* report = analysed.analysis.idle_of(analysed.device);
  const Steps& steps = analysed.analysis.steps;
  if (report == nullptr || report->steps.empty()) return std::nullopt;
  const std::size_t shown = std::min({report->steps.size(), steps.steps.size(), kMaxStepsDrawn});
  const std::vector<std::size_t> counts = steps.counted();
  FigureJson figure;
  for (std::size_t i = 0; i < step_parts().size(); ++i) {
    const StepPart& part = step_parts()[i];
    if (!any_of_part(*report, part)) continue;
    const std::string name = words_of_part(part.name, report->scope);
    std::vector<double> numbers;
    std::vector<double> values;
    std::vector<std::string> hovers;
    for (std::size_t step = 0; step < shown; ++step) {
      const StepTime& time = report->steps[step];
      const std::int64_t ns = part.of(time);
      numbers.push_back(static_cast<double>(steps.steps[step].number));
      values.push_back(static_cast<double>(ns) / kNanosecondsPerMs);
      const bool counted_step = std::find(counts.begin(), counts.end(), step) != counts.end();
      std::string share;
      if (time.wall_ns > 0) {
        share = ", " + percent_text(static_cast<double>(ns) / static_cast<double>(time.wall_ns)) +
                " of " + duration(static_cast<double>(time.wall_ns));
      }
      hovers.push_back(plotly_text(step_name(steps.steps[step], counted_step)) + "<br>" +
                       plotly_text(name + ' ' + duration(static_cast<double>(ns)) + share));
    }
    JsonText& json = figure.open_trace("bar", name);
    add_numbers(json, "x", numbers, 12);
    add_numbers(json, "y", values);
    json.texts("hovertext", hovers).text("hoverinfo", "text");
    add_look(json, i);
    figure.close_trace();
  }
  JsonText& layout = figure.layout();
  layout.text("barmode", "stack");
  add_axis(layout, "xaxis", {.title = "step"});
  add_axis(layout, "yaxis", {.title = "time [ms]", .from_zero = true});
  std::string note =
      "The parts of a step sum to it. The first and the last step, and those that "
      "are not whole, count in no mean.";
  if (shown < report->steps.size()) {
    note += " The first " + std::to_string(shown) + " of " +
            with_separators(std::ssize(report->steps)) + " steps.";
  }
  return Figure{.title = "Where the time of each step went",
                .alt = counted(std::int64_t(shown), "step") +
                       ", each a stack of what the device did and of why it was idle.",
                .json = figure.take(),
                .note = note};
}

std::optional<PageSection> trace_section(const AnalysedTrace& analysed, const std::string& id,
                                         const std::string& name) {
  const IdleReport* report = analysed.analysis.idle_of(analysed.device);
  auto figure = steps_figure(analysed);
  if (report == nullptr || !figure) return std::nullopt;
  PageSection section{.id = id, .title = "Steps of the trace", .blocks = {}};
  if (!name.empty()) section.title += ": " + name;
  section.blocks.emplace_back(std::move(*figure));
  if (auto parts = mean_figure(analysed, *report)) section.blocks.emplace_back(std::move(*parts));
  section.blocks.emplace_back(steps_table(analysed, *report));
  return section;
}

std::optional<Figure> ranks_figure(const RankReport& report) {
  if (report.rows.empty()) return std::nullopt;
  struct Bar {
    std::string_view name;
    double RankRow::*of;
    std::size_t look;
  };
  constexpr std::array<Bar, 2> kBars = {
      {{"own work", &RankRow::work_ns, 0}, {"waiting for others", &RankRow::wait_ns, 4}}};
  FigureJson figure;
  Axis x{.title = "rank"};
  for (const RankRow& row : report.rows) {
    const bool slow = report.straggler && report.straggler->rank == row.rank;
    x.tick_texts.push_back(std::to_string(row.rank) + (slow ? " (straggler)" : ""));
  }
  for (const Bar& bar : kBars) {
    std::vector<double> places;
    std::vector<double> values;
    std::vector<std::string> hovers;
    for (std::size_t i = 0; i < report.rows.size(); ++i) {
      const RankRow& row = report.rows[i];
      places.push_back(static_cast<double>(i));
      values.push_back(row.*bar.of / kNanosecondsPerMs);
      std::vector<std::string> lines = {"rank " + std::to_string(row.rank),
                                        std::string(bar.name) + ' ' + duration(row.*bar.of) +
                                            " of a step of " + duration(row.step_ns),
                                        "entered last in " +
                                            counted(row.entered_last, "collective") +
                                            ", slowest in " + counted(row.slowest_in, "step")};
      if (row.hidden_share) {
        lines.push_back(percent_text(*row.hidden_share) + " of its communication is hidden");
      }
      for (std::string& line : lines) line = plotly_text(line);
      hovers.push_back(hover_lines(lines));
    }
    JsonText& json = figure.open_trace("bar", bar.name);
    add_numbers(json, "x", places);
    add_numbers(json, "y", values);
    json.texts("hovertext", hovers).text("hoverinfo", "text");
    add_look(json, bar.look);
    figure.close_trace();
  }
  JsonText& layout = figure.layout();
  layout.text("barmode", "stack");
  add_axis(layout, "xaxis", x);
  add_axis(layout, "yaxis", {.title = "mean per step [ms]", .from_zero = true});
  std::string alt = counted(std::ssize(report.rows), "rank") + ": own work and waiting for others";
  if (report.straggler)
    alt += "; rank " + std::to_string(report.straggler->rank) + " is the slowest";
  return Figure{.title = "Which rank the others wait for",
                .alt = alt + '.',
                .json = figure.take(),
                .note = "Means over " + counted(report.steps, "common step") + ", " +
                        counted(report.collectives, "matched collective") + '.',
                .height_px = 380};
}

std::vector<PageSection> rank_sections(std::span<const AnalysedTrace> traces) {
  std::vector<RankTrace> ranks;
  for (const AnalysedTrace& each : traces) {
    if (auto rank = rank_trace(each.path, *each.trace, each.analysis)) {
      ranks.push_back(std::move(*rank));
    }
  }
  std::vector<PageSection> sections;
  for (const std::vector<std::size_t>& job : rank_jobs(ranks)) {
    std::vector<RankTrace> members;
    for (const std::size_t i : job) members.push_back(ranks[i]);
    const std::string id =
        sections.empty() ? "ranks" : "ranks-" + std::to_string(sections.size() + 1);
    if (auto section = rank_section(compare_ranks(std::move(members)), id)) {
      sections.push_back(std::move(*section));
    }
  }
  return sections;
}

PageSection diff_section(const TraceDiff& diff) {
  PageSection section{.id = "diff", .title = "What changed between two traces", .blocks = {}};
  section.blocks.emplace_back(Paragraph{"step: " + words_of_change(diff.step)});
  for (const DiffNote& note : diff.notes) {
    section.blocks.emplace_back(Paragraph{note.text, note.level == DiffLevel::kError ? Tone::kBad
                                                     : note.level == DiffLevel::kWarning
                                                         ? Tone::kDoubt
                                                         : Tone::kPlain});
  }
  const auto add = [&](const std::string& title, const std::vector<DiffRow>& rows,
                       const std::vector<std::string>& names) {
    if (auto figure = differences_figure(title, rows, names)) {
      section.blocks.emplace_back(std::move(*figure));
      section.blocks.emplace_back(differences_table(title, rows, names));
    }
  };
  std::vector<std::string> names;
  for (const DiffRow& row : diff.parts) names.push_back(words_of_part(row.name, diff.scope));
  add("Parts of the step", diff.parts, names);
  for (const DiffTable& table : diff.tables) {
    names.clear();
    for (const DiffRow& row : table.rows) names.push_back(name_of_row(row));
    add(title_of(table.kind), table.rows, names);
  }
  return section;
}

}  // namespace stepbench
