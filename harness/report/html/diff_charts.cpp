// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <utility>

#include "harness/analyze/row_names.h"
#include "harness/document/cells.h"
#include "harness/report/analysis_words.h"
#include "harness/report/html/chart_json.h"
#include "harness/report/html/trace_charts.h"
#include "harness/text/numbers.h"

namespace stepbench::report {
namespace {

constexpr std::size_t kMaxDiffRows = 20;  // per figure; the tables have all rows

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

// Key of the rows of this kind in diff_json.
std::string_view key_of(analyze::CostKind kind) {
  constexpr std::array<std::string_view, 5> kKeys = {"operators", "kernels", "calls", "shapes",
                                                     "collectives"};
  return kKeys.at(static_cast<std::size_t>(kind));
}

// Bars to the right mean longer than before.
document::Figure differences_figure(std::size_t place, std::string_view key,
                                    const std::string& title,
                                    const std::vector<analyze::DiffRow>& rows,
                                    const std::vector<std::string>& names) {
  const std::size_t shown = std::min(rows.size(), kMaxDiffRows);
  const auto drawn = std::span(rows).first(shown);
  json::JsonText json = chart("differences");
  json.integer("diff", static_cast<std::int64_t>(place)).text("rows", key);
  json.texts("names", std::span(names).first(shown)).close_object();
  const auto changed = std::ranges::count_if(drawn, &analyze::DiffRow::changed);
  std::string note = "Grey: no more than the steps themselves differ by.";
  if (shown < rows.size()) {
    note += " The " + std::to_string(shown) + " largest of " + std::to_string(rows.size()) + '.';
  }
  return {.title = title,
          .alt = title + ": " + std::to_string(changed) + " of " + std::to_string(shown) +
                 " changed; the first: " + names.front() + ", " + words_of_change(rows.front()) +
                 '.',
          .json = json.take(),
          .note = std::move(note),
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

std::optional<document::Chapter> diff_section(const analyze::TraceDiff& diff, std::size_t place,
                                              const std::string& id) {
  document::Chapter section{.id = id, .title = "What grew and what shrank", .blocks = {}};
  const auto add = [&](std::string_view key, const std::string& title,
                       const std::vector<analyze::DiffRow>& rows, const auto& name_of_one) {
    if (rows.empty()) return;
    std::vector<std::string> names;
    for (const analyze::DiffRow& row : rows) names.push_back(name_of_one(row));
    section.blocks.emplace_back(differences_figure(place, key, title, rows, names));
    section.blocks.emplace_back(differences_table(title, rows, names));
  };
  add("parts", "Parts of the step", diff.parts,
      [&](const analyze::DiffRow& row) { return words_of_part(row.name, diff.scope); });
  for (const analyze::DiffTable& table : diff.tables) {
    add(key_of(table.kind), title_of(table.kind), table.rows, name_of_row);
  }
  if (section.blocks.empty()) return std::nullopt;
  return section;
}

}  // namespace stepbench::report
