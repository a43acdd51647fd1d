// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <string>
#include <vector>

#include "harness/analyze/row_names.h"
#include "harness/report/analysis_sections.h"
#include "harness/report/html/analysis_charts.h"
#include "harness/report/html/figure.h"
#include "harness/report/html/grid_table.h"
#include "harness/text/numbers.h"

namespace stepbench::report {
namespace {

constexpr std::size_t kMaxDiffRows = 20;  // of a figure; the tables have all

std::string words_of_change(const analyze::DiffRow& row) {
  std::string text = text::duration(row.base_ns) + " -> " + text::duration(row.new_ns) + ", " +
                     text::signed_duration(row.difference_ns()) + " per step";
  if (row.noise_ns) text += "; counts from " + text::duration(*row.noise_ns) + " on";
  if (!row.changed()) return text + ": no more than the steps differ by";
  return text + ": " + std::string(analyze::name_of(row.change));
}

std::string name_of_row(const analyze::DiffRow& row) {
  const std::string name = analyze::short_row_name(row.name);
  return row.phase.empty() ? name : name + ", " + row.phase;
}

std::string title_of(analyze::CostKind kind) {
  switch (kind) {
    case analyze::CostKind::kOperator:
      return "Operators";
    case analyze::CostKind::kKernel:
      return "Kernels";
    case analyze::CostKind::kCall:
      return "Runtime calls";
  }
  return {};
}

// Bars to the right: longer than before.
std::optional<Figure> differences_figure(const std::string& title,
                                         const std::vector<analyze::DiffRow>& rows,
                                         const std::vector<std::string>& names) {
  if (rows.empty()) return std::nullopt;
  const std::size_t shown = std::min(rows.size(), kMaxDiffRows);
  std::vector<double> differences;
  std::vector<std::string> hovers;
  std::vector<std::string> colours;
  Axis y{.title = "", .downwards = true};
  std::size_t changed = 0;
  for (std::size_t i = 0; i < shown; ++i) {
    differences.push_back(rows[i].difference_ns() / kNsPerMs);
    hovers.push_back(hover_text(std::vector<std::string>{names[i], words_of_change(rows[i])}));
    const std::string_view colour = !rows[i].changed()            ? kDimColour
                                    : rows[i].difference_ns() > 0 ? kBadColour
                                                                  : kBestColour;
    colours.emplace_back(colour);
    y.tick_texts.push_back(names[i]);
    changed += rows[i].changed() ? 1 : 0;
  }
  FigureJson figure;
  add_bars(figure, differences, hovers, colours);
  json::JsonText& layout = figure.layout();
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

PageTable differences_table(const std::string& title, const std::vector<analyze::DiffRow>& rows,
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
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const analyze::DiffRow& row = rows[i];
    table.rows.push_back(
        {{.text = names[i]},
         number_cell(row.base_ns / kNsPerMs),
         number_cell(row.new_ns / kNsPerMs),
         number_cell(row.difference_ns() / kNsPerMs),
         number_cell(row.base_count),
         number_cell(row.new_count),
         {.text = row.changed() ? std::string(analyze::name_of(row.change)) : "-"}});
    const bool longer = row.difference_ns() > 0;
    table.tones.push_back(!row.changed() ? Tone::kPlain : longer ? Tone::kBad : Tone::kGood);
  }
  return table;
}

}  // namespace

std::optional<PageSection> diff_section(const analyze::TraceDiff& diff, const std::string& id) {
  PageSection section{.id = id, .title = "What grew and what shrank", .blocks = {}};
  const auto add = [&](const std::string& title, const std::vector<analyze::DiffRow>& rows,
                       const std::vector<std::string>& names) {
    if (auto figure = differences_figure(title, rows, names)) {
      section.blocks.emplace_back(std::move(*figure));
      section.blocks.emplace_back(differences_table(title, rows, names));
    }
  };
  std::vector<std::string> names;
  for (const analyze::DiffRow& row : diff.parts)
    names.push_back(words_of_part(row.name, diff.scope));
  add("Parts of the step", diff.parts, names);
  for (const analyze::DiffTable& table : diff.tables) {
    names.clear();
    for (const analyze::DiffRow& row : table.rows) names.push_back(name_of_row(row));
    add(title_of(table.kind), table.rows, names);
  }
  if (section.blocks.empty()) return std::nullopt;
  return section;
}

}  // namespace stepbench::report
