// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <utility>

#include "harness/document/cells.h"
#include "harness/report/analysis_words.h"
#include "harness/report/html/analysis_charts.h"
#include "harness/report/html/figure.h"
#include "harness/text/numbers.h"
#include "harness/text/words.h"

namespace stepbench::report {
namespace {

std::optional<document::Chapter> rank_section(const analyze::RankReport& report,
                                              const std::string& id) {
  auto figure = ranks_figure(report);
  if (!figure) return std::nullopt;
  document::Chapter section{.id = id, .title = "Ranks of a job", .blocks = {}};
  if (report.straggler) {
    const analyze::Straggler& straggler = *report.straggler;
    std::string text = "rank " + std::to_string(straggler.rank) + " holds the others up: up to " +
                       text::duration(straggler.gain_ns) + " per step, " +
                       text::percent_text(straggler.share) + " of the step";
    if (!straggler.part.empty()) {
      text += "; most of it " + words_of_part(straggler.part, report.scope);
    }
    section.blocks.emplace_back(document::Paragraph{text + '.', document::Tone::kDoubt});
  } else {
    section.blocks.emplace_back(
        document::Paragraph{"No rank holds the others up.", document::Tone::kGood});
  }
  for (const std::string& warning : report.warnings) {
    section.blocks.emplace_back(document::Paragraph{warning, document::Tone::kDoubt});
  }
  section.blocks.emplace_back(std::move(*figure));
  document::Table table{.title = "Ranks, means per step [ms]",
                        .columns = {{.head = "rank"},
                                    {.head = "step"},
                                    {.head = "own work"},
                                    {.head = "waiting for others"},
                                    {.head = "communication"},
                                    {.head = "of it exposed"},
                                    {.head = "hidden [%]"},
                                    {.head = "entered last"},
                                    {.head = "slowest in steps"},
                                    document::words("file")},
                        .rows = {}};
  const auto cell = [](double ns) { return document::number(ns / kNsPerMs); };
  const auto count = [](std::int64_t number) {
    return document::Cell{text::with_separators(number), static_cast<double>(number)};
  };
  for (const analyze::RankRow& row : report.rows) {
    table.rows.push_back(
        {.cells = {count(row.rank),
                   cell(row.step_ns),
                   cell(row.work_ns),
                   cell(row.wait_ns),
                   cell(row.communication_ns),
                   cell(row.exposed_ns),
                   {row.hidden_share ? text::percent(*row.hidden_share) : "-", row.hidden_share},
                   count(row.entered_last),
                   count(row.slowest_in),
                   row.path}});
    const bool slow = report.straggler && report.straggler->rank == row.rank;
    table.rows.back().tone = slow ? document::Tone::kDoubt : document::Tone::kPlain;
  }
  section.blocks.emplace_back(std::move(table));
  return section;
}

}  // namespace

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

std::vector<document::Chapter> rank_sections(std::span<const AnalysedTrace> traces) {
  std::vector<analyze::RankTrace> ranks;
  for (const AnalysedTrace& each : traces) {
    if (auto rank = analyze::rank_trace(each.path, *each.trace, each.analysis)) {
      ranks.push_back(std::move(*rank));
    }
  }
  std::vector<document::Chapter> sections;
  for (const std::vector<std::size_t>& job : analyze::rank_jobs(ranks)) {
    std::vector<analyze::RankTrace> members;
    for (const std::size_t i : job) members.push_back(ranks[i]);
    const std::string id =
        sections.empty() ? "ranks" : "ranks-" + std::to_string(sections.size() + 1);
    if (auto section = rank_section(analyze::compare_ranks(std::move(members)), id)) {
      sections.push_back(std::move(*section));
    }
  }
  return sections;
}

}  // namespace stepbench::report
