// SPDX-License-Identifier: Apache-2.0
#include "harness/report/trace_analysis.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <numeric>

#include "harness/base/format.h"
#include "harness/document/document.h"
#include "harness/json/json_text.h"
#include "harness/report/internal/analysis_rows.h"
#include "harness/report/internal/analysis_words.h"
#include "harness/report/result_tables.h"
#include "harness/text/numbers.h"
#include "harness/text/words.h"

namespace stepbench::report {
namespace {

document::Paragraph straggler_paragraph(const traces::RankReport& report) {
  if (!report.straggler && report.unmatched_ns >= traces::kStragglerShare * report.step_ns) {
    return {
        formatted("slowest rank unknown: communication of {} per step on one rank has no "
                  "counterpart on the others, so its waiting is unknown",
                  text::duration(report.unmatched_ns))};
  }
  if (!report.straggler) {
    return {formatted(
        "no rank holds the others up: the slowest of a step works {} longer than the median, but "
        "is not consistently the same rank, or less than {} of the step longer (fewer than four "
        "steps cannot tell)",
        text::duration(report.imbalance_ns), text::percent_text(traces::kStragglerShare))};
  }
  const traces::Straggler& straggler = *report.straggler;
  const auto row = std::ranges::find(report.rows, straggler.rank, &traces::RankRow::rank);
  std::string text = formatted(
      "rank {} holds the others up by {} per step ({}): it is the slowest in {} of {}",
      straggler.rank, text::duration(straggler.gain_ns), text::percent_text(straggler.share),
      row->slowest_in, text::counted(report.steps, "step"));
  if (!straggler.part.empty()) {
    text += formatted("; most of all {}, {} against the median of the others",
                      words_of_part(straggler.part, report.scope),
                      text::signed_duration(straggler.part_ns));
  }
  return {.text = std::move(text),
          .tone = document::Tone::kDoubt,
          .below = {formatted("gain: at most {} per step, until the next slowest rank is the limit",
                              text::duration(straggler.gain_ns))}};
}

std::string skew_line(const traces::RankReport& report) {
  if (report.clocks == traces::RankClocks::kSeveralHosts) {
    return "skew of the steps' starts: unknown, the ranks ran on several hosts, whose clocks "
           "differ";
  }
  if (!report.skew_mean_ns) {
    return "skew of the steps' starts: unknown, the traces have no wall-clock time";
  }
  std::string text =
      formatted("skew of the steps' starts, first to last rank: {} (mean), at most {}",
                text::duration(*report.skew_mean_ns), text::duration(*report.skew_max_ns));
  if (report.clocks == traces::RankClocks::kHostUnknown) {
    text += "; if all ran on one host: the traces do not name it";
  }
  return text;
}

// Rows to show: all by rank, or if there are too many, the slowest first.
std::vector<std::size_t> shown_rows(const traces::RankReport& report, std::size_t limit) {
  std::vector<std::size_t> rows(report.rows.size());
  std::iota(rows.begin(), rows.end(), std::size_t{0});
  if (limit == 0 || rows.size() <= limit) return rows;
  std::ranges::stable_sort(rows, [&](std::size_t a, std::size_t b) {
    return report.rows[a].work_ns > report.rows[b].work_ns;
  });
  rows.resize(limit);
  return rows;
}

text::TimeUnit unit_of(const traces::RankReport& report) {
  return text::unit_for(std::vector<double>{std::max(1.0, report.step_ns)});
}

void add_ranks(const traces::RankReport& report, std::size_t limit,
               std::vector<document::Block>& blocks) {
  const traces::Trace none;
  BlockTable table(formatted("ranks (means of {})", text::counted(report.steps, "step")), none,
                   {.total = report.step_ns, .unit = unit_of(report)},
                   window_subtitle(words_of_window(report.window)));
  const bool communicates = std::ranges::any_of(
      report.rows, [](const traces::RankRow& row) { return row.communication_ns > 0; });
  const std::vector<std::size_t> shown = shown_rows(report, limit);
  for (const std::size_t i : shown) {
    const traces::RankRow& row = report.rows[i];
    const bool slow = report.straggler && report.straggler->rank == row.rank;
    table.add(RankRowOf{row, report, communicates},
              slow ? document::Tone::kDoubt : document::Tone::kPlain);
  }
  blocks.emplace_back(table.take());
  std::vector<std::string> lines;
  if (shown.size() < report.rows.size()) {
    lines.push_back(formatted("the slowest {} of {}; --row-limit 0 shows all", shown.size(),
                              text::counted(std::ssize(report.rows), "rank")));
  }
  if (report.collectives > 0) {
    lines.push_back(text::counted(report.collectives, "collective") +
                    " matched; a rank waits in one for as long as it takes more than the "
                    "rank that enters last");
  } else {
    lines.emplace_back(
        "no collective is in the traces of all ranks: waiting for others cannot be separated from "
        "work");
  }
  if (report.unmatched > 0) {
    lines.push_back(
        formatted("{} rows of collectives have no counterpart on the other ranks, or do not name "
                  "their peers ({} per step at most)",
                  text::with_separators(report.unmatched), text::duration(report.unmatched_ns)));
  }
  lines.push_back(skew_line(report));
  document::add_paragraphs(blocks, lines);
}

document::Table parts_of_ranks(const traces::RankReport& report, std::size_t limit) {
  const text::TimeUnit unit = unit_of(report);
  document::Table table{
      .title = formatted("where the time of a step goes, by rank [{}]", unit.name),
      .columns = {{.head = "rank"}}};
  std::vector<std::size_t> parts;
  std::vector<double> most(traces::step_parts().size());
  for (const traces::RankRow& row : report.rows) {
    for (std::size_t i = 0; i < most.size(); ++i) most[i] = std::max(most[i], row.parts_ns[i]);
  }
  for (std::size_t i = 0; i < most.size(); ++i) {
    if (most[i] > 0) parts.push_back(i);
  }
  for (const std::size_t part : parts) {
    const auto smaller =
        std::ranges::count_if(parts, [&](std::size_t other) { return most[other] < most[part]; });
    table.columns.push_back({.head = words_of_part(traces::step_parts()[part].name, report.scope),
                             .drop_at = int(smaller) + 1});
  }
  table.columns.push_back({.head = "sum"});
  for (const std::size_t i : shown_rows(report, limit)) {
    const traces::RankRow& row = report.rows[i];
    std::vector<document::Cell> cells = {document::count(row.rank)};
    for (const std::size_t part : parts) {
      cells.push_back(document::part_of_time(row.parts_ns[part], unit, report.step_ns));
    }
    cells.push_back(document::time(row.step_ns, unit));
    table.rows.push_back({.cells = std::move(cells)});
  }
  return table;
}

}  // namespace

document::Document ranks_document(const traces::RankReport& report, std::size_t row_limit) {
  std::string headline = "one job: traces of " + text::counted(std::ssize(report.rows), "rank");
  if (report.world) headline += formatted(" of {}", *report.world);
  headline += formatted(", {} in all of them", text::counted(report.steps, "step"));
  document::Answer answer;
  document::Chapter overview{.id = "ranks", .title = "Ranks", .blocks = {}};
  for (const std::string& warning : report.warnings) {
    overview.blocks.emplace_back(
        document::Paragraph{"warning: " + warning, document::Tone::kDoubt});
    answer.doubts.push_back(warning);
  }
  if (report.steps > 0) {
    document::Paragraph straggler = straggler_paragraph(report);
    answer.text = std::move(straggler.text);
    answer.tone = straggler.tone;
    for (const document::Line& line : straggler.below) {
      overview.blocks.emplace_back(document::Paragraph{line.text});
    }
    add_ranks(report, row_limit, overview.blocks);
    if (auto waits = wait_table(wait_matrix(report)))
      overview.blocks.emplace_back(std::move(*waits));
    overview.blocks.emplace_back(parts_of_ranks(report, row_limit));
    std::ranges::move(matched_collective_blocks(report.sizes, row_limit),
                      std::back_inserter(overview.blocks));
  } else {
    answer = {.text = "slowest rank unknown: no step is in the traces of all ranks",
              .tone = document::Tone::kDoubt,
              .doubts = std::move(answer.doubts)};
  }
  document::Chapter traces{.id = "traces", .title = "Traces", .blocks = {}};
  traces.blocks.emplace_back(document::Heading{"traces"});
  for (const std::size_t i : shown_rows(report, row_limit)) {
    traces.blocks.emplace_back(
        document::Paragraph{formatted("rank {}: {}", report.rows[i].rank, report.rows[i].path)});
  }
  traces.blocks.emplace_back(document::Paragraph{
      report.straggler ? formatted("--rank {} shows its own page", report.straggler->rank)
                       : "--rank N shows the page of one rank"});
  return {.headline = std::move(headline),
          .answer = std::move(answer),
          .chapters = {std::move(overview), std::move(traces)},
          .all_columns_in = "--format markdown"};
}

std::string ranks_json(const traces::RankReport& report, int exit_status) {
  json::JsonText json;
  const traces::Trace none;
  BlockJson out(json, none);
  json.open_object().text("schema", kAnalysisSchema).text("version", kAnalysisVersion);
  json.open_object("ranks");
  out("world", report.world)("window", report.window);
  json.texts("warnings", report.warnings);
  out("steps", report.steps)("collectives", report.collectives)("unmatched", report.unmatched);
  out("unmatched_ns", report.unmatched_ns)("step_ns", report.step_ns);
  out("imbalance_ns", report.imbalance_ns);
  if (report.straggler) {
    out.object("straggler", *report.straggler);
  } else {
    json.null("straggler");
  }
  out("clocks", report.clocks)("skew_mean_ns", report.skew_mean_ns);
  out("skew_max_ns", report.skew_max_ns).rows("sizes", report.sizes);
  json.open_array("rows");
  for (const traces::RankRow& row : report.rows) out.object({}, RankRowOf{row, report});
  json.close_array().close_object().integer("exit_code", exit_status).close_object();
  return json.take() + '\n';
}

}  // namespace stepbench::report
