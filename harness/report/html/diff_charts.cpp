// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <string>
#include <vector>

#include "harness/analyze/row_names.h"
#include "harness/document/cells.h"
#include "harness/report/analysis_words.h"
#include "harness/report/html/analysis_charts.h"
#include "harness/report/html/figure.h"
#include "harness/text/numbers.h"

namespace stepbench::report {
namespace {

constexpr std::size_t kMaxDiffRows = 20;  // of a figure; the tables have all

std::string words_of_change(const analyze::DiffRow& row) {
  std::string text = text::duration(row.base_ns) + " -> " + text::duration(row.new_ns) + ", " +
                     text::signed_duration(row.difference_ns()) + " per step";
  if (row.noise_ns) text += "; counts from " + text::duration(*row.noise_ns) + " on";
  if (!row.changed()) return text + ": no more than the steps differ by";
  return text + ": " + std::string(name_of(row.change));
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
    case analyze::CostKind::kShape:
      return "Matrix products, convolutions and attention by shape";
    case analyze::CostKind::kCollective:
      return "Collectives";
  }
  return {};
}

// Bars to the right: longer than before.
std::optional<document::Figure> differences_figure(const std::string& title,
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
  return document::Figure{.title = title,
                          .alt = title + ": " + std::to_string(changed) + " of " +
                                 std::to_string(shown) + " changed; the first: " + names.front() +
                                 ", " + words_of_change(rows.front()) + '.',
                          .json = figure.take(),
                          .note = note,
                          .height_px = static_cast<int>(130 + 26 * shown)};
}

document::Table differences_table(const std::string& title,
                                  const std::vector<analyze::DiffRow>& rows,
                                  const std::vector<std::string>& names) {
  document::Table table{.title = title + " [ms per step]",
                        .columns = {document::words("what"),
                                    {.head = "base"},
                                    {.head = "new"},
                                    {.head = "difference"},
                                    {.head = "calls before"},
                                    {.head = "calls after"},
                                    document::words("change")},
                        .rows = {}};
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const analyze::DiffRow& row = rows[i];
    table.rows.push_back(
        {.cells = {names[i], document::number(row.base_ns / kNsPerMs),
                   document::number(row.new_ns / kNsPerMs),
                   document::number(row.difference_ns() / kNsPerMs),
                   document::number(row.base_count), document::number(row.new_count),
                   row.changed() ? std::string(name_of(row.change)) : "-"}});
    const bool longer = row.difference_ns() > 0;
    table.rows.back().tone = !row.changed() ? document::Tone::kPlain
                             : longer       ? document::Tone::kBad
                                            : document::Tone::kGood;
  }
  return table;
}

}  // namespace

std::optional<document::Chapter> diff_section(const analyze::TraceDiff& diff,
                                              const std::string& id) {
  document::Chapter section{.id = id, .title = "What grew and what shrank", .blocks = {}};
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
