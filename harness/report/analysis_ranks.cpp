// SPDX-License-Identifier: Apache-2.0
#include "harness/report/analysis_ranks.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "harness/report/analysis_page.h"
#include "harness/text/numbers.h"
#include "harness/text/words.h"

namespace stepbench::report {
namespace {

std::string share_cell(double part, double whole) {
  return whole > 0 ? text::percent(part / whole) : "-";
}

std::vector<std::string> straggler_lines(const analyze::RankReport& report) {
  if (report.steps == 0) return {};
  if (!report.straggler && report.unmatched_ns >= analyze::kStragglerShare * report.step_ns) {
    return {"who holds the others up is not known: communication of " +
            text::duration(report.unmatched_ns) +
            " per step on one rank has no counterpart on the others, and what of it is waiting "
            "cannot be told"};
  }
  if (!report.straggler) {
    return {"no rank holds the others up: the slowest of a step works " +
            text::duration(report.imbalance_ns) +
            " longer than the median, but it is not always the " + "same, or less than " +
            text::percent_text(analyze::kStragglerShare) + " of the step longer"};
  }
  const analyze::Straggler& straggler = *report.straggler;
  const auto row =
      std::find_if(report.rows.begin(), report.rows.end(),
                   [&](const analyze::RankRow& each) { return each.rank == straggler.rank; });
  std::string text = "rank " + std::to_string(straggler.rank) + " holds the others up by " +
                     text::duration(straggler.gain_ns) + " per step (" +
                     text::percent_text(straggler.share) + "): it is the slowest in " +
                     std::to_string(row->slowest_in) + " of " + text::counted(report.steps, "step");
  if (!straggler.part.empty()) {
    text += "; most of all " + words_of_part(straggler.part, report.scope) + ", " +
            text::signed_duration(straggler.part_ns) + " against the median of the others";
  }
  return {std::move(text), "  gain: at most " + text::duration(straggler.gain_ns) +
                               " per step, until the next slowest rank is what limits; its own "
                               "page: --rank " +
                               std::to_string(straggler.rank)};
}

std::string skew_line(const analyze::RankReport& report) {
  if (report.clocks == analyze::RankClocks::kSeveralHosts) {
    return "skew of the steps' starts: not known, the ranks ran on several hosts, whose clocks "
           "differ";
  }
  if (!report.skew_mean_ns) {
    return "skew of the steps' starts: not known, the traces do not say what time it was";
  }
  std::string text =
      "skew of the steps' starts, first to last rank: " + text::duration(*report.skew_mean_ns) +
      " (mean), at most " + text::duration(*report.skew_max_ns);
  if (report.clocks == analyze::RankClocks::kHostUnknown) {
    text += "; if all ran on one host: the traces do not name it";
  }
  return text;
}

// Rows to show, by rank or, where there is no room for all, the slowest first.
std::vector<std::size_t> shown_rows(const analyze::RankReport& report, std::size_t limit) {
  std::vector<std::size_t> rows(report.rows.size());
  std::iota(rows.begin(), rows.end(), std::size_t{0});
  if (limit == 0 || rows.size() <= limit) return rows;
  std::stable_sort(rows.begin(), rows.end(), [&](std::size_t a, std::size_t b) {
    return report.rows[a].work_ns > report.rows[b].work_ns;
  });
  rows.resize(limit);
  return rows;
}

AnalysisSection ranks_section(const analyze::RankReport& report, std::size_t limit) {
  AnalysisSection section{.title = "ranks (means of " + text::counted(report.steps, "step") + ")",
                          .window = words_of_window(report.window)};
  const text::TimeUnit unit = text::unit_for(std::vector<double>{std::max(1.0, report.step_ns)});
  const std::string in_unit = " [" + std::string(unit.name) + ']';
  section.grid.columns = {{.head = "rank"},
                          {.head = "step" + in_unit},
                          {.head = "own work" + in_unit},
                          {.head = "waits for others" + in_unit},
                          {.head = "slowest in [%]"},
                          {.head = "enters last [%]", .drop_at = 2}};
  const bool communicates =
      std::any_of(report.rows.begin(), report.rows.end(),
                  [](const analyze::RankRow& row) { return row.communication_ns > 0; });
  const bool starts = report.skew_mean_ns.has_value();
  if (communicates) {
    section.grid.columns.push_back({.head = "communication" + in_unit, .drop_at = 3});
    section.grid.columns.push_back({.head = "not hidden" + in_unit, .drop_at = 4});
    section.grid.columns.push_back({.head = "hidden [%]", .drop_at = 5});
  }
  if (starts) section.grid.columns.push_back({.head = "starts late" + in_unit, .drop_at = 1});
  const auto time = [&](double ns) { return text::significant(ns / unit.ns); };
  const std::vector<std::size_t> shown = shown_rows(report, limit);
  for (const std::size_t i : shown) {
    const analyze::RankRow& row = report.rows[i];
    text::GridRow cells{
        .cells = {std::to_string(row.rank), time(row.step_ns), time(row.work_ns), time(row.wait_ns),
                  share_cell(double(row.slowest_in), double(report.steps)),
                  share_cell(double(row.entered_last), double(report.collectives))}};
    if (communicates) {
      cells.cells.push_back(time(row.communication_ns));
      cells.cells.push_back(time(row.exposed_ns));
      cells.cells.push_back(row.hidden_share ? text::percent(*row.hidden_share) : "-");
    }
    if (starts) cells.cells.push_back(time(row.starts_late_ns.value_or(0)));
    section.grid.rows.push_back(std::move(cells));
  }
  if (shown.size() < report.rows.size()) {
    section.lines.push_back("the slowest " + std::to_string(shown.size()) + " of " +
                            text::counted(std::ssize(report.rows), "rank") +
                            "; --row-limit 0 shows all");
  }
  if (report.collectives > 0) {
    section.lines.push_back(text::counted(report.collectives, "collective") +
                            " matched; a rank waits in one for as long as it takes more than the "
                            "rank that enters last");
  } else {
    section.lines.emplace_back(
        "no collective is in the traces of all ranks: waiting for others cannot be told from work");
  }
  if (report.unmatched > 0) {
    section.lines.push_back(text::with_separators(report.unmatched) +
                            " rows of collectives have no counterpart on the other ranks, or do "
                            "not say with whom they exchange (" +
                            text::duration(report.unmatched_ns) + " per step at most)");
  }
  section.lines.push_back(skew_line(report));
  return section;
}

AnalysisSection parts_of_ranks_section(const analyze::RankReport& report, std::size_t limit) {
  AnalysisSection section{.title = "where the time of a step goes, by rank"};
  const text::TimeUnit unit = text::unit_for(std::vector<double>{std::max(1.0, report.step_ns)});
  section.title += " [" + std::string(unit.name) + ']';
  std::vector<std::size_t> parts;
  std::vector<double> most(analyze::step_parts().size());
  for (const analyze::RankRow& row : report.rows) {
    for (std::size_t i = 0; i < most.size(); ++i) most[i] = std::max(most[i], row.parts_ns[i]);
  }
  for (std::size_t i = 0; i < most.size(); ++i) {
    if (most[i] > 0) parts.push_back(i);
  }
  section.grid.columns = {{.head = "rank"}};
  for (const std::size_t part : parts) {
    const auto smaller = std::count_if(parts.begin(), parts.end(),
                                       [&](std::size_t other) { return most[other] < most[part]; });
    section.grid.columns.push_back(
        {.head = words_of_part(analyze::step_parts()[part].name, report.scope),
         .drop_at = int(smaller) + 1});
  }
  section.grid.columns.push_back({.head = "sum"});
  for (const std::size_t i : shown_rows(report, limit)) {
    const analyze::RankRow& row = report.rows[i];
    text::GridRow cells{.cells = {std::to_string(row.rank)}};
    for (const std::size_t part : parts) {
      cells.cells.push_back(text::significant(row.parts_ns[part] / unit.ns));
    }
    cells.cells.push_back(text::significant(row.step_ns / unit.ns));
    section.grid.rows.push_back(std::move(cells));
  }
  return section;
}

AnalysisPage page_of_ranks(const analyze::RankReport& report, std::size_t row_limit) {
  AnalysisPage page;
  page.headline = "one job: traces of " + text::counted(std::ssize(report.rows), "rank");
  if (report.world) page.headline += " of " + std::to_string(*report.world);
  page.headline += ", " + text::counted(report.steps, "step") + " in all of them";
  for (const std::string& warning : report.warnings) page.remarks.push_back("warning: " + warning);
  for (std::string& line : straggler_lines(report)) page.remarks.push_back(std::move(line));
  if (report.steps > 0) {
    page.sections.push_back(ranks_section(report, row_limit));
    page.sections.push_back(parts_of_ranks_section(report, row_limit));
  }
  AnalysisSection files{.title = "traces"};
  for (const std::size_t i : shown_rows(report, row_limit)) {
    files.lines.push_back("rank " + std::to_string(report.rows[i].rank) + ": " +
                          report.rows[i].path);
  }
  files.lines.emplace_back("--rank N shows the page of one rank");
  page.sections.push_back(std::move(files));
  return page;
}

}  // namespace

std::string ranks_text(const analyze::RankReport& report, const AnalysisStyle& style) {
  return page_text(page_of_ranks(report, style.row_limit), style);
}

std::string ranks_markdown(const analyze::RankReport& report, const AnalysisStyle& style) {
  return page_markdown(page_of_ranks(report, style.row_limit));
}

}  // namespace stepbench::report
