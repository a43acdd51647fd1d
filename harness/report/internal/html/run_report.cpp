// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <numeric>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "harness/document/document.h"
#include "harness/document/render.h"
#include "harness/estimate/columns.h"
#include "harness/report/exports.h"
#include "harness/report/internal/answer.h"
#include "harness/report/internal/findings.h"
#include "harness/report/internal/html/case_chart.h"
#include "harness/report/internal/html/run_sections.h"
#include "harness/report/internal/notes.h"
#include "harness/report/internal/run_title.h"
#include "harness/report/pages.h"
#include "harness/report/result_tables.h"
#include "harness/text/numbers.h"
#include "harness/text/words.h"

namespace stepbench::report {
namespace {

std::string title_of_runs(const record::Results& results) {
  std::vector<std::string> names;
  for (const record::RunRow& run : results.runs) {
    const std::string& name = run.name.empty() ? run.run_id : run.name;
    if (std::ranges::find(names, name) == names.end()) names.push_back(name);
  }
  return names.empty() ? "Report" : text::join(names);
}

// "12 cases, 72 launches, 14,400 steps"
std::string counts_of(const TableFacts& facts) {
  std::set<std::string> cases;
  std::int64_t launches = 0;
  std::int64_t steps = 0;
  for (const estimate::CaseRow& row : facts.rows) {
    cases.insert(row.case_id);
    launches += std::ssize(row.measured);
    for (const estimate::MeasuredLaunch& each : row.measured) steps += each.estimate.steps;
  }
  return text::counted(std::ssize(cases), "case") + ", " + text::counted(launches, "launch") +
         ", " + text::counted(steps, "step");
}

std::vector<estimate::CaseRow> all_rows_of(const TableFacts& facts) {
  std::vector<estimate::CaseRow> rows = facts.rows;
  rows.insert(rows.end(), facts.profiled.begin(), facts.profiled.end());
  return rows;
}

// Notes by tone: problems, doubts, then the rest.
std::vector<document::Paragraph> notes_paragraphs(const TableFacts& facts) {
  std::vector<document::Paragraph> notes = notes_of(with_skipped(facts), facts.results);
  add_profile_notes(facts.profiled, facts.rows, facts.results, notes);
  std::ranges::stable_sort(notes, std::greater<>(), &document::Paragraph::tone);
  return notes;
}

// For tables that exceed the rows of a page: puts the fastest first.
void put_fastest_first(document::Table& table, const std::vector<estimate::CaseRow>& rows) {
  std::vector<std::size_t> order(rows.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, [&](std::size_t a, std::size_t b) {
    return rows[a].vs_best.value_or(0) > rows[b].vs_best.value_or(0);
  });
  std::vector<document::TableRow> sorted;
  for (const std::size_t i : order) sorted.push_back(std::move(table.rows[i]));
  table.title += ", the fastest first";
  table.rows = std::move(sorted);
}

document::Cell value_cell(const Value& value) {
  const auto* whole = std::get_if<std::int64_t>(&value);
  const auto* number = std::get_if<double>(&value);
  if (whole != nullptr) {
    return {text::with_separators(*whole), static_cast<double>(*whole)};
  }
  if (number != nullptr) return {text::significant(*number, 6), *number};
  return is_null(value) ? std::string("-") : to_text(value);
}

using NumberColumn = document::Projected<estimate::CaseRow>;

std::vector<NumberColumn> number_columns(const TableFacts& facts) {
  std::vector<NumberColumn> columns;
  const auto add = [&](std::string_view name, const estimate::CaseValue& get) {
    const auto has = [&](const estimate::CaseRow& row) {
      const Value value = get(row);
      return !is_null(value) &&
             !(std::holds_alternative<std::string>(value) && std::get<std::string>(value).empty());
    };
    if (std::ranges::none_of(facts.rows, has)) return;
    const bool number = std::ranges::none_of(facts.rows, [&](const estimate::CaseRow& row) {
      const Value value = get(row);
      return std::holds_alternative<std::string>(value) || std::holds_alternative<bool>(value);
    });
    // Omit columns that are equal in all rows: they are stated above and in the environment.
    const Value first = get(facts.rows.front());
    const bool alike = !number && name != "case_id" && facts.rows.size() > 1 &&
                       std::ranges::all_of(facts.rows, [&](const estimate::CaseRow& row) {
                         return get(row) == first;
                       });
    if (alike) return;
    columns.push_back({{.head = std::string(name), .left = !number},
                       [get](const estimate::CaseRow& row) { return value_cell(get(row)); }});
  };
  for (const estimate::EstimateColumn& column : estimate::key_columns())
    add(column.metric.name, column.get);
  for (const std::string& name : facts.names.varying()) {
    add(name, [name](const estimate::CaseRow& row) {
      const auto found = row.options().find(name);
      return found == row.options().end() ? Value{} : found->second;
    });
  }
  for (const estimate::EstimateColumn& column : estimate::estimate_columns())
    add(column.metric.name, column.get);
  return columns;
}

// One row per fact, one column per worker.
document::Table environment_of(const std::vector<record::WorkerRow>& workers) {
  document::Table table{
      .title = "Environment of the workers", .columns = {document::words("fact")}, .rows = {}};
  std::map<std::string, std::vector<std::string>> facts;
  const auto set = [&](const std::string& name, std::size_t worker, std::string text) {
    auto& texts = facts[name];
    texts.resize(workers.size(), "-");
    texts[worker] = std::move(text);
  };
  for (std::size_t i = 0; i < workers.size(); ++i) {
    table.columns.push_back(document::words(workers.size() == 1 ? "value" : workers[i].worker_id));
    set("worker", i, workers[i].path);
    for (const auto& [name, value] : workers[i].environment) set(name, i, to_text(value));
  }
  for (const auto& [name, texts] : facts) {
    std::vector<document::Cell>& row = table.rows.emplace_back().cells;
    row.push_back(name);
    for (const std::string& text : texts) row.push_back(text);
  }
  return table;
}

// "53.2 [52.9, 53.6]", with the bounds of the table of cases.
document::Cell estimate_cell(const estimate::CaseRow& row, const text::TimeUnit& unit) {
  if (!row.headline_ns()) {
    const bool failed = !row.failed.empty();
    return failed ? "failed" : row.skipped.empty() ? "unfinished" : "skipped";
  }
  const double value = *row.headline_ns() / unit.ns;
  std::string text = text::significant(value);
  if (row.spread != estimate::Spread::kNone) {
    text +=
        ' ' + text::interval_text(row.interval_ns.low / unit.ns, row.interval_ns.high / unit.ns);
  }
  return {std::move(text), value};
}

struct CaseOfRuns {
  const estimate::CaseRow* first = nullptr;
  std::map<std::size_t, const estimate::CaseRow*> by_run = {};
};

// One column per run. nullopt for a single run, or if the runs share no case.
std::optional<document::Table> compared_runs_table(const TableFacts& facts) {
  std::vector<std::string> runs;
  std::vector<CaseOfRuns> cases;
  std::map<std::pair<std::string, std::string>, std::size_t> places;  // by case and arm
  for (const estimate::CaseRow& row : facts.rows) {
    auto run = std::ranges::find(runs, row.run_id);
    if (run == runs.end()) run = runs.insert(run, row.run_id);
    const auto [at, is_new] = places.try_emplace({row.case_id, row.arm}, cases.size());
    if (is_new) cases.push_back({.first = &row});
    cases[at->second].by_run[static_cast<std::size_t>(run - runs.begin())] = &row;
  }
  const auto is_shared = [](const CaseOfRuns& each) { return each.by_run.size() > 1; };
  if (runs.size() < 2 || std::ranges::none_of(cases, is_shared)) return std::nullopt;
  document::Table table{
      .title = "Runs beside each other: " +
               std::string(facts.latencies.contains(true) ? "latency p50" : "step") + " [" +
               std::string(facts.unit.name) + "] with its interval or range",
      .columns = {document::words("case")},
      .rows = {}};
  for (const std::string& run : runs) {
    table.columns.push_back({.head = facts.names.run({.case_id = {}, .run_id = run})});
  }
  for (const CaseOfRuns& each : cases) {
    std::string name =
        estimate::case_name(each.first->options(), each.first->workload, facts.names.varying());
    if (!each.first->arm.empty()) name += " (arm " + each.first->arm + ')';
    std::vector<document::Cell>& row = table.rows.emplace_back().cells;
    row.push_back(std::move(name));
    for (std::size_t run = 0; run < runs.size(); ++run) {
      const auto found = each.by_run.find(run);
      row.push_back(found == each.by_run.end() ? document::Cell{"-"}
                                               : estimate_cell(*found->second, facts.unit));
    }
  }
  return table;
}

// The best case and the doubts about it.
document::Answer overview_answer(const TableFacts& facts) {
  return run_answer(facts.rows, facts.results, notes_paragraphs(facts));
}

// The table of cases and the notes.
document::Chapter overview_section(const TableFacts& facts) {
  document::Chapter section{.id = "overview", .title = "Overview", .blocks = {}};
  for (std::string& title : run_titles(facts.rows, facts.results)) {
    section.blocks.push_back(document::Paragraph{.text = std::move(title)});
  }
  std::vector<document::Paragraph> notes = notes_paragraphs(facts);
  if (facts.rows.empty()) {  // otherwise nothing would say so
    section.blocks.push_back(
        document::Paragraph{.text = "No launches in these results.", .tone = document::Tone::kBad});
  } else {
    document::Table table = case_grid(facts, {});
    table.title = "Cases";
    if (table.rows.size() > document::kPageRows) put_fastest_first(table, facts.rows);
    section.blocks.push_back(std::move(table));
  }
  if (auto run_table = compared_runs_table(facts)) section.blocks.push_back(std::move(*run_table));
  section.blocks.insert(section.blocks.end(), notes.begin(), notes.end());
  return section;
}

std::optional<document::Chapter> findings_section(const TableFacts& facts) {
  std::vector<document::Paragraph> lines = finding_paragraphs(all_rows_of(facts), facts.results);
  if (lines.empty()) return std::nullopt;
  document::Chapter section{.id = "findings", .title = "Findings", .blocks = {}};
  section.blocks.insert(section.blocks.end(), lines.begin(), lines.end());
  return section;
}

// All reported numbers of each case, in base units.
std::optional<document::Chapter> numbers_section(const TableFacts& facts) {
  if (facts.rows.empty()) return std::nullopt;
  document::Table table = document::project<estimate::CaseRow>(
      facts.rows, number_columns(facts), [](const estimate::CaseRow& row) {
        return row.step_ns ? document::Tone::kPlain : document::Tone::kDoubt;
      });
  table.title = "Every number of every case, in base units";
  if (table.rows.size() > document::kPageRows) put_fastest_first(table, facts.rows);
  return document::Chapter{.id = "numbers", .title = "Numbers", .blocks = {std::move(table)}};
}

// `files`: arguments of the command that shows them.
document::Chapter environment_section(const TableFacts& facts,
                                      const std::vector<std::string>& files) {
  document::Chapter section{.id = "environment", .title = "Environment", .blocks = {}};
  std::string commands;
  for (const record::RunRow* run : distinct_runs(facts.results)) {
    if (!run->argv.empty()) commands += text::join(run->argv, " ", text::shell_word) + '\n';
  }
  if (!commands.empty()) {
    section.blocks.push_back(
        document::Verbatim{.title = "Measured by", .text = std::move(commands)});
  }
  const std::string words = text::join(files, " ", text::shell_word);
  section.blocks.push_back(
      document::Verbatim{.title = "To look further",
                         .text = "stepbench show " + words + "\nstepbench show " + words +
                                 " --case ID\nstepbench report " + words + '\n'});
  for (const record::RunRow* run : distinct_runs(facts.results)) {
    if (run->config_text.empty()) continue;
    const std::string file = run->config_path.empty() ? run->run_id : run->config_path;
    section.blocks.push_back(document::Verbatim{
        .title = "Experiment: " + file, .text = run->config_text, .folded = true});
  }
  if (!facts.results.workers.empty()) {
    section.blocks.push_back(environment_of(facts.results.workers));
  }
  return section;
}

}  // namespace

ReportContent run_content(const record::Results& results, const std::vector<std::string>& files,
                          const DrawOptions& draw) {
  const TableFacts facts = table_facts(results, {});
  ReportContent content{
      .kind = "run",
      .title = title_of_runs(results),
      .answer = overview_answer(facts),
      .sections = {},
      .data = json_of(facts.rows, results, {}, estimate::Proposals(facts.rows, results)),
      .summary = counts_of(facts)};
  const auto add = [&](std::optional<document::Chapter> section) {
    if (section) content.sections.push_back(std::move(*section));
  };
  // Details behind the answer start folded.
  const auto add_detail = [&](std::optional<document::Chapter> section) {
    if (section) section->folded = true;
    add(std::move(section));
  };
  DrawOptions drawing = draw;
  drawing.show_command = "stepbench show " + text::join(files, " ", text::shell_word);
  json::JsonText charts;
  charts.open_object();
  add_cases(charts, facts, drawing);
  add(sweep_section(facts, charts));
  add(overview_section(facts));
  add(anatomy_section(facts));
  add(ranks_section(facts));
  add(findings_section(facts));
  add(ops_section(results, charts));
  add_detail(distributions_section(facts, drawing));
  add_detail(launches_section(facts, drawing, charts));
  add_detail(numbers_section(facts));
  add_detail(environment_section(facts, files));
  content.charts = charts.close_object().take();
  content.measured = std::ranges::any_of(
      facts.rows, [](const estimate::CaseRow& row) { return !row.measured.empty(); });
  return content;
}

}  // namespace stepbench::report
