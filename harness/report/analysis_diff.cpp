// SPDX-License-Identifier: Apache-2.0
#include "harness/report/analysis_diff.h"

#include <algorithm>
#include <cmath>
#include <filesystem>

#include "harness/analyze/row_names.h"
#include "harness/report/analysis_page.h"
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
  std::string words(analyze::name_of(change));
  if (change == analyze::DiffChange::kNone) return "-";
  std::replace(words.begin(), words.end(), '_', ' ');
  return words;
}

std::string signed_cell(double value, const text::TimeUnit& unit) {
  if (value == 0) return "0";
  return (value > 0 ? "+" : "") + text::significant(value / unit.ns);
}

std::string calls_cell(const analyze::DiffRow& row) {
  const std::string base = text::short_number(row.base_count, 1);
  const std::string next = text::short_number(row.new_count, 1);
  return base == next ? next : base + " -> " + next;
}

std::string headline_of_diff(const analyze::TraceDiff& diff) {
  return name_of_side(diff.new_paths) + " (new, " + text::counted(diff.new_steps, "step") +
         ") against " + name_of_side(diff.base_paths) + " (base, " +
         text::counted(diff.base_steps, "step") + ')';
}

std::vector<std::string> diff_remarks(const analyze::TraceDiff& diff) {
  std::vector<std::string> lines = {
      diff.comparable() ? "comparable: yes" : "comparable: NO, do not trust the differences"};
  for (const analyze::DiffNote& note : diff.notes) {
    lines.push_back(std::string(analyze::name_of(note.level)) + ": " + note.text);
  }
  const analyze::DiffRow& step = diff.step;
  if (step.base_ns <= 0) return lines;
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
  lines.push_back(std::move(text));
  if (diff.nothing_changed()) {
    lines.emplace_back("nothing changed beyond what the steps differ by themselves");
  }
  return lines;
}

AnalysisSection diff_of_parts(const analyze::TraceDiff& diff) {
  AnalysisSection section{.title = "where the step's time changed (means of a step)",
                          .window = words_of_window(diff.window)};
  const double longest_ns = std::max(diff.step.base_ns, diff.step.new_ns);
  if (longest_ns <= 0) {
    section.lines.emplace_back("there is no step, and no time to compare");
    return section;
  }
  const text::TimeUnit unit = text::unit_for(std::vector<double>{longest_ns});
  const std::string in_unit = " [" + std::string(unit.name) + ']';
  section.grid.columns = {{.head = "part", .align = text::Align::kLeft},
                          {.head = "base" + in_unit},
                          {.head = "new" + in_unit},
                          {.head = "difference" + in_unit},
                          {.head = "of the step [%]", .drop_at = 1},
                          {.head = "counts from" + in_unit, .drop_at = 2},
                          {.head = "change", .align = text::Align::kLeft}};
  const auto add = [&](const analyze::DiffRow& row, const std::string& name) {
    section.grid.rows.push_back(
        {.cells = {name, text::significant(row.base_ns / unit.ns),
                   text::significant(row.new_ns / unit.ns), signed_cell(row.difference_ns(), unit),
                   diff.step.base_ns > 0
                       ? text::signed_percent(row.difference_ns() / diff.step.base_ns)
                       : "-",
                   row.noise_ns ? text::significant(*row.noise_ns / unit.ns) : "-",
                   words_of_change(row.change)}});
  };
  for (const analyze::DiffRow& row : diff.parts) add(row, words_of_part(row.name, diff.scope));
  add(diff.step, "sum");
  section.lines.push_back(
      diff.step.noise_ns
          ? "a difference counts where it is three times as large as the uncertainty that the "
            "spread of steps or launches gives it, and 2 % of the value, and 0.1 % of the step"
          : "a difference counts where it is 5 % of the value and 0.1 % of the step");
  return section;
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
  }
  return {};
}

AnalysisSection diff_of_table(const analyze::DiffTable& table, std::size_t limit) {
  const TableWords words = words_of_table(table.kind);
  AnalysisSection section{.title = words.title};
  const auto changed = std::count_if(table.rows.begin(), table.rows.end(),
                                     [](const analyze::DiffRow& row) { return row.changed(); });
  const std::size_t shown =
      limit == 0 ? std::size_t(changed) : std::min(limit, std::size_t(changed));
  std::vector<double> times;
  for (std::size_t i = 0; i < shown; ++i) {
    times.push_back(std::max(table.rows[i].base_ns, table.rows[i].new_ns));
  }
  const text::TimeUnit unit = text::unit_for(times.empty() ? std::vector<double>{1} : times);
  const std::string in_unit = " [" + std::string(unit.name) + ']';
  const bool phases = table.kind == analyze::CostKind::kOperator;
  section.grid.columns = {{.head = words.head,
                           .align = text::Align::kLeft,
                           .shrink_at = 1,
                           .shrink_to = 24,
                           .shrink_inside = true}};
  if (phases) {
    section.grid.columns.push_back(
        {.head = "phase", .align = text::Align::kLeft, .shrink_at = 2, .shrink_inside = true});
  }
  for (const char* head : {"base", "new", "difference"}) {
    section.grid.columns.push_back({.head = head + in_unit});
  }
  section.grid.columns.push_back({.head = "calls"});
  section.grid.columns.push_back({.head = "change", .align = text::Align::kLeft});
  const auto add = [&](const analyze::DiffRow& row, const std::string& name,
                       const std::string& change) {
    text::GridRow cells{.cells = {name}};
    if (phases) cells.cells.push_back(row.phase.empty() ? "-" : row.phase);
    cells.cells.push_back(text::significant(row.base_ns / unit.ns));
    cells.cells.push_back(text::significant(row.new_ns / unit.ns));
    cells.cells.push_back(signed_cell(row.difference_ns(), unit));
    cells.cells.push_back(calls_cell(row));
    cells.cells.push_back(change);
    section.grid.rows.push_back(std::move(cells));
  };
  analyze::DiffRow rest;
  for (std::size_t i = 0; i < table.rows.size(); ++i) {
    const analyze::DiffRow& row = table.rows[i];
    if (i < shown) {
      add(row, analyze::short_row_name(row.name), words_of_change(row.change));
      continue;
    }
    rest.base_ns += row.base_ns;
    rest.new_ns += row.new_ns;
    rest.base_count += row.base_count;
    rest.new_count += row.new_count;
  }
  if (shown == 0) {
    section.lines.push_back(table.rows.empty()
                                ? "none recorded"
                                : "none of " + text::with_separators(std::ssize(table.rows)) +
                                      (table.sum.difference_ns() == 0
                                           ? std::string()
                                           : "; together " +
                                                 text::signed_duration(table.sum.difference_ns()) +
                                                 " per step"));
    return section;
  }
  if (shown < table.rows.size())
    add(rest, text::counted(std::ssize(table.rows) - std::int64_t(shown), "other"), "");
  add(table.sum, words.all, "");
  if (std::size_t(changed) > shown) {
    section.lines.push_back("first " + std::to_string(shown) + " of " +
                            text::with_separators(changed) +
                            " that changed; --row-limit 0 shows all");
  }
  return section;
}

AnalysisSection diff_of_findings(const analyze::TraceDiff& diff) {
  AnalysisSection section{.title = "findings that changed"};
  const auto size_text = [](const analyze::DiffFinding& finding, double size) {
    return finding.is_gain ? text::duration(size) : text::significant(size);
  };
  for (const analyze::DiffFinding& finding : diff.findings) {
    const bool other_value = !finding.is_gain && finding.base && finding.next;
    std::string line = (other_value ? "other value" : words_of_change(finding.change)) + ": " +
                       finding.text + " [" + finding.id;
    if (finding.base && finding.next) {
      line += ", " + std::string(finding.is_gain ? "gain " : "") +
              size_text(finding, *finding.base) + " -> " + size_text(finding, *finding.next);
    } else if (finding.is_gain) {
      line += ", gain " + size_text(finding, finding.next.value_or(finding.base.value_or(0)));
    }
    section.lines.push_back(line + ']');
  }
  if (diff.findings.empty()) section.lines.emplace_back("none");
  return section;
}

}  // namespace

AnalysisPage diff_page(const analyze::TraceDiff& diff, std::size_t row_limit) {
  AnalysisPage page{.headline = headline_of_diff(diff), .remarks = diff_remarks(diff)};
  page.sections.push_back(diff_of_parts(diff));
  for (const analyze::DiffTable& table : diff.tables) {
    page.sections.push_back(diff_of_table(table, row_limit));
  }
  page.sections.push_back(diff_of_findings(diff));
  return page;
}

std::string diff_text(const analyze::TraceDiff& diff, const AnalysisStyle& style) {
  return page_text(diff_page(diff, style.row_limit), style);
}

std::string diff_markdown(const analyze::TraceDiff& diff, const AnalysisStyle& style) {
  return page_markdown(diff_page(diff, style.row_limit));
}

}  // namespace stepbench::report
