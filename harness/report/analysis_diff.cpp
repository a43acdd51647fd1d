// SPDX-License-Identifier: Apache-2.0
#include "harness/report/analysis_diff.h"

#include <algorithm>
#include <cmath>
#include <filesystem>

#include "harness/analyze/row_names.h"
#include "harness/document/cells.h"
#include "harness/report/analysis_blocks.h"
#include "harness/report/analysis_words.h"
#include "harness/report/tones.h"
#include "harness/text/numbers.h"
#include "harness/text/words.h"

namespace stepbench::report {
namespace {

std::string name_of_side(const std::vector<std::string>& paths) {
  if (paths.empty()) return "nothing";
  std::string name = std::filesystem::path(paths.front()).filename().string();
  if (paths.size() > 1) name += " and " + std::to_string(paths.size() - 1) + " more";
  return name;
}

std::string words_of_change(analyze::DiffChange change) {
  std::string words(name_of(change));
  if (change == analyze::DiffChange::kNone) return "-";
  std::replace(words.begin(), words.end(), '_', ' ');
  return words;
}

document::Cell signed_cell(double ns, const text::TimeUnit& unit) {
  if (ns == 0) return {"0", 0};
  return {(ns > 0 ? "+" : "") + text::significant(ns / unit.ns), ns};
}

std::string calls_cell(const analyze::DiffRow& row) {
  const std::string base = text::short_number(row.base_count, 1);
  const std::string next = text::short_number(row.new_count, 1);
  return base == next ? next : base + " -> " + next;
}

document::Cell rate_cell(std::optional<double> rate, double unit) {
  return document::number(rate ? std::optional(*rate / unit) : std::nullopt);
}

std::string headline_of_diff(const analyze::TraceDiff& diff) {
  return name_of_side(diff.new_paths) + " (new, " + text::counted(diff.new_steps, "step") +
         ") against " + name_of_side(diff.base_paths) + " (base, " +
         text::counted(diff.base_steps, "step") + ')';
}

void add_diff_notes(const analyze::TraceDiff& diff, std::vector<document::Block>& blocks) {
  blocks.emplace_back(diff.comparable()
                          ? document::Paragraph{"comparable: yes"}
                          : document::Paragraph{"comparable: NO, do not trust the differences",
                                                document::Tone::kBad});
  for (const analyze::DiffNote& note : diff.notes) {
    blocks.emplace_back(document::Paragraph{std::string(name_of(note.level)) + ": " + note.text,
                                            tone_of(note.level)});
  }
}

// How much longer a step takes, and why.
document::Answer diff_answer(const analyze::TraceDiff& diff) {
  const document::Answer unknown = {.text = "not comparable, do not trust the differences",
                                    .tone = document::Tone::kBad};
  const analyze::DiffRow& step = diff.step;
  if (step.base_ns <= 0) return diff.comparable() ? document::Answer{} : unknown;
  std::string text = "a step takes " + text::duration(step.new_ns);
  if (step.difference_ns() == 0) {
    text += ", as long as in base";
  } else {
    text += ", " + text::signed_duration(step.difference_ns()) + " (" +
            text::signed_percent(step.difference_ns() / step.base_ns) + " %) against " +
            text::duration(step.base_ns) + " in base";
  }
  if (!step.changed() && step.difference_ns() != 0) {
    text += ": no more than steps differ by themselves";
  }
  const auto most = std::max_element(diff.parts.begin(), diff.parts.end(),
                                     [](const analyze::DiffRow& a, const analyze::DiffRow& b) {
                                       return std::abs(a.changed() ? a.difference_ns() : 0) <
                                              std::abs(b.changed() ? b.difference_ns() : 0);
                                     });
  if (most != diff.parts.end() && most->changed()) {
    text += "; its part that changed most: " + words_of_part(most->name, diff.scope) + ", " +
            text::signed_duration(most->difference_ns());
  }
  if (diff.nothing_changed())
    text = "nothing changed beyond what the steps differ by themselves: " + text;
  if (diff.comparable()) return {.text = std::move(text)};
  return {.text = unknown.text + ": " + text, .tone = unknown.tone};
}

void add_parts(const analyze::TraceDiff& diff, std::vector<document::Block>& blocks) {
  const std::string title = "where the step's time changed (means of a step)";
  const std::string window = window_aside(words_of_window(diff.window));
  const double longest_ns = std::max(diff.step.base_ns, diff.step.new_ns);
  if (longest_ns <= 0) {
    blocks.emplace_back(document::Heading{title, window});
    blocks.emplace_back(document::Paragraph{"there is no step, and no time to compare"});
    return;
  }
  const text::TimeUnit unit = text::unit_for(std::vector<double>{longest_ns});
  const std::string in_unit(unit.name);
  document::Table table{.title = title,
                        .aside = window,
                        .columns = {document::words("part"),
                                    {.head = "base", .unit = in_unit},
                                    {.head = "new", .unit = in_unit},
                                    {.head = "difference", .unit = in_unit},
                                    {.head = "of the step", .unit = "%", .drop_at = 1},
                                    {.head = "counts from", .unit = in_unit, .drop_at = 2},
                                    document::words("change")}};
  const auto add = [&](const analyze::DiffRow& row, const std::string& name) {
    const double of_step = row.difference_ns() / diff.step.base_ns;
    table.rows.push_back(
        {.cells = {
             name, document::time(row.base_ns, unit), document::time(row.new_ns, unit),
             signed_cell(row.difference_ns(), unit),
             diff.step.base_ns > 0 ? document::Cell(text::signed_percent(of_step), of_step) : "-",
             document::time(row.noise_ns, unit), words_of_change(row.change)}});
  };
  for (const analyze::DiffRow& row : diff.parts) add(row, words_of_part(row.name, diff.scope));
  add(diff.step, "sum");
  blocks.emplace_back(std::move(table));
  blocks.emplace_back(document::Paragraph{
      diff.step.noise_ns
          ? "a difference counts where it is three times as large as the uncertainty that the "
            "spread of steps or launches gives it, and 2 % of the value, and 0.1 % of the step"
          : "a difference counts where it is 5 % of the value and 0.1 % of the step"});
}

struct TableWords {
  const char* title;
  const char* head;
  const char* all;
};

TableWords words_of_table(analyze::CostKind kind) {
  switch (kind) {
    case analyze::CostKind::kOperator:
      return {"operators that changed (own time with their calls, of all threads)", "operator",
              "all operators"};
    case analyze::CostKind::kKernel:
      return {"kernels, copies and sets that changed", "kernel", "all kernels"};
    case analyze::CostKind::kCall:
      return {"calls of the runtime and driver that changed", "call", "all calls"};
    case analyze::CostKind::kShape:
      return {"matrix products, convolutions and attention that changed, by shape", "operator",
              "all shapes"};
    case analyze::CostKind::kCollective:
      return {"collectives that changed", "collective", "all collectives"};
  }
  return {};
}

// How fast the work of a row was done, where its kind has some.
struct RateWords {
  const char* unit = nullptr;
  double per_ns = 0;
};

RateWords rate_of_table(analyze::CostKind kind) {
  if (kind == analyze::CostKind::kShape) return {"TFLOP/s", 1e3};
  if (kind == analyze::CostKind::kCollective) return {"GB/s on the bus", 1};
  return {};
}

void add_changed(const analyze::DiffTable& costs, std::size_t limit,
                 std::vector<document::Block>& blocks) {
  const TableWords words = words_of_table(costs.kind);
  const RateWords rate = rate_of_table(costs.kind);
  if (costs.rows.empty() && rate.unit != nullptr) return;
  const auto changed = std::count_if(costs.rows.begin(), costs.rows.end(),
                                     [](const analyze::DiffRow& row) { return row.changed(); });
  const std::size_t shown = limited(std::size_t(changed), limit);
  if (shown == 0) {
    std::string text = costs.rows.empty()
                           ? "none recorded"
                           : "none of " + text::with_separators(std::ssize(costs.rows));
    if (!costs.rows.empty() && costs.sum.difference_ns() != 0) {
      text += "; together " + text::signed_duration(costs.sum.difference_ns()) + " per step";
    }
    blocks.emplace_back(document::Heading{words.title});
    blocks.emplace_back(document::Paragraph{std::move(text)});
    return;
  }
  std::vector<double> times;
  for (std::size_t i = 0; i < shown; ++i) {
    times.push_back(std::max(costs.rows[i].base_ns, costs.rows[i].new_ns));
  }
  const text::TimeUnit unit = text::unit_for(times);
  const char* phase = costs.kind == analyze::CostKind::kOperator     ? "phase"
                      : costs.kind == analyze::CostKind::kShape      ? "pass"
                      : costs.kind == analyze::CostKind::kCollective ? "group"
                                                                     : nullptr;
  document::Table table{.title = words.title,
                        .columns = {{.head = words.head,
                                     .left = true,
                                     .shrink_at = 1,
                                     .shrink_to = 24,
                                     .shrink_inside = true}}};
  if (phase != nullptr) {
    table.columns.push_back({.head = phase, .left = true, .shrink_at = 2, .shrink_inside = true});
  }
  for (const char* head : {"base", "new", "difference"}) {
    table.columns.push_back({.head = head, .unit = std::string(unit.name)});
  }
  const bool has_rates =
      std::any_of(costs.rows.begin(), costs.rows.end(),
                  [](const analyze::DiffRow& row) { return row.base_rate || row.new_rate; });
  if (has_rates) {
    table.columns.push_back({.head = "base", .unit = rate.unit, .drop_at = 1});
    table.columns.push_back({.head = "new", .unit = rate.unit, .drop_at = 1});
  }
  table.columns.push_back({.head = "calls"});
  table.columns.push_back(document::words("change"));
  const auto add = [&](const analyze::DiffRow& row, const std::string& name,
                       const std::string& change) {
    std::vector<document::Cell> cells = {name};
    if (phase != nullptr) cells.emplace_back(row.phase.empty() ? "-" : row.phase);
    cells.push_back(document::time(row.base_ns, unit));
    cells.push_back(document::time(row.new_ns, unit));
    cells.push_back(signed_cell(row.difference_ns(), unit));
    if (has_rates) {
      cells.push_back(rate_cell(row.base_rate, rate.per_ns));
      cells.push_back(rate_cell(row.new_rate, rate.per_ns));
    }
    cells.emplace_back(calls_cell(row), row.new_count);
    cells.emplace_back(change);
    table.rows.push_back({.cells = std::move(cells)});
  };
  analyze::DiffRow rest;
  for (std::size_t i = 0; i < costs.rows.size(); ++i) {
    const analyze::DiffRow& row = costs.rows[i];
    if (i < shown) {
      add(row, rate.unit == nullptr ? analyze::short_row_name(row.name) : row.name,
          words_of_change(row.change));
      continue;
    }
    rest.base_ns += row.base_ns;
    rest.new_ns += row.new_ns;
    rest.base_count += row.base_count;
    rest.new_count += row.new_count;
  }
  if (shown < costs.rows.size()) {
    add(rest, text::counted(std::ssize(costs.rows) - std::int64_t(shown), "other"), "");
  }
  add(costs.sum, words.all, "");
  blocks.emplace_back(std::move(table));
  if (std::size_t(changed) <= shown) return;
  blocks.emplace_back(document::Paragraph{"first " + std::to_string(shown) + " of " +
                                          text::with_separators(changed) +
                                          " that changed; --row-limit 0 shows all"});
}

std::string finding_text(const analyze::DiffFinding& finding) {
  const auto size_text = [&](double size) {
    return finding.is_gain ? text::duration(size) : text::significant(size);
  };
  const bool other_value = !finding.is_gain && finding.base && finding.next;
  std::string text = (other_value ? "other value" : words_of_change(finding.change)) + ": " +
                     finding.text + " [" + finding.id;
  if (finding.base && finding.next) {
    text += ", " + std::string(finding.is_gain ? "gain " : "") + size_text(*finding.base) + " -> " +
            size_text(*finding.next);
  } else if (finding.is_gain) {
    text += ", gain " + size_text(finding.next.value_or(finding.base.value_or(0)));
  }
  return text + ']';
}

}  // namespace

document::Document diff_document(const analyze::TraceDiff& diff, std::size_t row_limit) {
  document::Chapter overview{.id = "overview", .title = "Overview", .blocks = {}};
  add_diff_notes(diff, overview.blocks);
  add_parts(diff, overview.blocks);
  overview.blocks.emplace_back(document::Heading{"findings that changed"});
  for (const analyze::DiffFinding& finding : diff.findings) {
    overview.blocks.emplace_back(document::Paragraph{finding_text(finding)});
  }
  if (diff.findings.empty()) overview.blocks.emplace_back(document::Paragraph{"none"});
  document::Chapter tables{.id = "tables", .title = "Tables", .blocks = {}, .folded = true};
  for (const analyze::DiffTable& table : diff.tables) add_changed(table, row_limit, tables.blocks);
  return {.headline = headline_of_diff(diff),
          .answer = diff_answer(diff),
          .chapters = {std::move(overview), std::move(tables)},
          .all_columns_in = "--format markdown"};
}

}  // namespace stepbench::report
