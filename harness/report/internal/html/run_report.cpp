// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "harness/base/format.h"
#include "harness/document/document.h"
#include "harness/document/render.h"
#include "harness/estimate/columns.h"
#include "harness/report/exports.h"
#include "harness/report/internal/answer.h"
#include "harness/report/internal/findings.h"
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
  return formatted("{}, {}, {}", text::counted(std::ssize(cases), "case"),
                   text::counted(launches, "launch"), text::counted(steps, "step"));
}

// Notes by tone: problems, doubts, then the rest.
std::vector<document::Paragraph> notes_paragraphs(const TableFacts& facts) {
  std::vector<document::Paragraph> notes = notes_of(with_skipped(facts), facts.results);
  add_profile_notes(facts.profiled, facts.rows, facts.results, notes);
  std::ranges::stable_sort(notes, std::greater<>(), &document::Paragraph::tone);
  return notes;
}

// For tables that exceed the rows of a page: puts the fastest first.
void put_fastest_first(document::Table& table, const TableFacts& facts) {
  if (table.rows.size() <= document::kPageRows) return;
  std::vector<document::TableRow> sorted;
  for (const std::size_t i : best_rows(facts, table.rows.size())) {
    sorted.push_back(std::move(table.rows[i]));
  }
  table.title += ", the fastest first";
  table.rows = std::move(sorted);
}

document::Cell value_cell(const Value& value) {
  const auto* whole = std::get_if<std::int64_t>(&value);
  const auto* number = std::get_if<double>(&value);
  if (whole != nullptr) return document::count(*whole);
  if (number != nullptr) return {text::significant(*number, 6), *number};
  return is_null(value) ? std::string("-") : to_text(value);
}

// Without columns that are empty, and words that are equal in all rows: they are stated above and
// in the environment.
document::Table numbers_table(const TableFacts& facts) {
  std::vector<document::Projected<estimate::CaseRow>> columns;
  for (const std::string& name : estimate::record_names(facts.rows)) {
    const bool option = estimate::is_option(facts.rows, name);
    if (option && std::ranges::count(facts.names.varying(), name) == 0) continue;
    const estimate::CaseValue get = estimate::row_getter(name);
    std::set<std::string> texts;
    bool words = false;
    for (const estimate::CaseRow& row : facts.rows) {
      const Value value = get(row);
      texts.insert(is_null(value) ? "" : to_text(value));
      words = words || std::holds_alternative<std::string>(value) ||
              std::holds_alternative<bool>(value);
    }
    const bool alike = texts.size() == 1 && facts.rows.size() > 1 && name != "case_id";
    if (texts == std::set<std::string>{""} || (words && alike)) continue;
    columns.push_back({{.head = name, .left = words},
                       [get](const estimate::CaseRow& row) { return value_cell(get(row)); }});
  }
  document::Table table = document::project<estimate::CaseRow>(
      facts.rows, std::move(columns), [](const estimate::CaseRow& row) {
        return row.step_ns ? document::Tone::kPlain : document::Tone::kDoubt;
      });
  table.title = "Every number of every case, in base units";
  return table;
}

// One row per fact, one column per worker.
document::Table environment_of(const std::vector<record::WorkerRow>& workers) {
  document::Table table{.title = "Environment of the workers",
                        .columns = {document::words("fact")}};
  std::set<std::string> names = {"worker"};
  for (const record::WorkerRow& worker : workers) {
    table.columns.push_back(document::words(workers.size() == 1 ? "value" : worker.worker_id));
    for (const auto& [name, value] : worker.environment) names.insert(name);
  }
  for (const std::string& name : names) {
    std::vector<document::Cell>& cells = table.rows.emplace_back().cells;
    cells.push_back(name);
    for (const record::WorkerRow& worker : workers) {
      const auto found = worker.environment.find(name);
      cells.push_back(name == "worker"                    ? worker.path
                      : found == worker.environment.end() ? "-"
                                                          : to_text(found->second));
    }
  }
  return table;
}

// "53.2 [52.9, 53.6]", with the bounds of the table of cases.
document::Cell estimate_cell(const estimate::CaseRow* row, const text::TimeUnit& unit) {
  if (row == nullptr) return "-";
  if (!row->headline_ns()) return no_numbers(*row).substr(0, no_numbers(*row).find(':'));
  document::Cell cell = document::number(*row->headline_ns() / unit.ns);
  if (row->spread != estimate::Spread::kNone) {
    cell.text +=
        ' ' + text::interval_text(row->interval_ns.low / unit.ns, row->interval_ns.high / unit.ns);
  }
  return cell;
}

// One column per run. nullopt for a single run, or if the runs share no case.
std::optional<document::Table> compared_runs_table(const TableFacts& facts) {
  std::vector<std::string> runs;
  std::map<std::pair<std::string, std::string>, std::map<std::string, const estimate::CaseRow*>>
      cases;  // by id and arm, then by run
  bool shared = false;
  for (const estimate::CaseRow& row : facts.rows) {
    if (std::ranges::count(runs, row.run_id) == 0) runs.push_back(row.run_id);
    auto& by_run = cases[{row.case_id, row.arm}];
    by_run[row.run_id] = &row;
    shared = shared || by_run.size() > 1;
  }
  if (!shared) return std::nullopt;
  document::Table table{
      .title = formatted("Runs beside each other: {} [{}] with its interval or range",
                         facts.latencies.contains(true) ? "latency p50" : "step", facts.unit.name),
      .columns = {document::words("case")}};
  for (const std::string& run : runs) {
    table.columns.push_back({.head = facts.names.run({.case_id = {}, .run_id = run})});
  }
  for (const estimate::CaseRow& row : facts.rows) {  // in the order of the rows, each case once
    const auto found = cases.find({row.case_id, row.arm});
    if (found == cases.end()) continue;
    std::string name = estimate::case_name(row.options(), row.workload, facts.names.varying());
    if (!row.arm.empty()) name += " (arm " + row.arm + ')';
    std::vector<document::Cell>& cells = table.rows.emplace_back().cells;
    cells.push_back(std::move(name));
    for (const std::string& run : runs) {
      cells.push_back(estimate_cell(found->second[run], facts.unit));
    }
    cases.erase(found);
  }
  return table;
}

// The table of cases and the notes.
document::Chapter overview_section(const TableFacts& facts,
                                   const std::vector<document::Paragraph>& notes) {
  document::Chapter section{.id = "overview", .title = "Overview", .blocks = {}};
  for (std::string& title : run_titles(facts.rows, facts.results)) {
    section.blocks.push_back(document::Paragraph{.text = std::move(title)});
  }
  if (facts.rows.empty()) {  // otherwise nothing would say so
    section.blocks.push_back(
        document::Paragraph{.text = "No launches in these results.", .tone = document::Tone::kBad});
  } else {
    document::Table table = case_grid(facts, {});
    table.title = "Cases";
    put_fastest_first(table, facts);
    section.blocks.push_back(std::move(table));
  }
  if (auto run_table = compared_runs_table(facts)) section.blocks.push_back(std::move(*run_table));
  section.blocks.insert(section.blocks.end(), notes.begin(), notes.end());
  return section;
}

std::optional<document::Chapter> findings_section(const TableFacts& facts) {
  std::vector<estimate::CaseRow> rows = facts.rows;
  rows.insert(rows.end(), facts.profiled.begin(), facts.profiled.end());
  const std::vector<document::Paragraph> lines = finding_paragraphs(rows, facts.results);
  if (lines.empty()) return std::nullopt;
  return document::Chapter{
      .id = "findings", .title = "Findings", .blocks = {lines.begin(), lines.end()}};
}

std::optional<document::Chapter> numbers_section(const TableFacts& facts) {
  if (facts.rows.empty()) return std::nullopt;
  document::Table table = numbers_table(facts);
  put_fastest_first(table, facts);
  return document::Chapter{.id = "numbers", .title = "Numbers", .blocks = {std::move(table)}};
}

// `files`: arguments of the command that shows them.
document::Chapter environment_section(const record::Results& results, const std::string& files) {
  document::Chapter section{.id = "environment", .title = "Environment", .blocks = {}};
  std::string commands;
  for (const record::RunRow* run : distinct_runs(results)) {
    if (!run->argv.empty()) commands += text::join(run->argv, " ", text::shell_word) + '\n';
  }
  if (!commands.empty()) {
    section.blocks.push_back(
        document::Verbatim{.title = "Measured by", .text = std::move(commands)});
  }
  section.blocks.push_back(document::Verbatim{
      .title = "To look further",
      .text = formatted("stepbench show {}\nstepbench show {} --case ID\nstepbench report {}\n",
                        files, files, files)});
  for (const record::RunRow* run : distinct_runs(results)) {
    if (run->config_text.empty()) continue;
    const std::string file = run->config_path.empty() ? run->run_id : run->config_path;
    section.blocks.push_back(document::Verbatim{
        .title = "Experiment: " + file, .text = run->config_text, .folded = true});
  }
  if (!results.workers.empty()) section.blocks.push_back(environment_of(results.workers));
  return section;
}

}  // namespace

ReportContent run_content(const record::Results& results, const std::vector<std::string>& files,
                          const DrawOptions& draw) {
  const TableFacts facts = table_facts(results, {});
  const std::vector<document::Paragraph> notes = notes_paragraphs(facts);
  const std::string words = text::join(files, " ", text::shell_word);
  DrawOptions drawing = draw;
  drawing.show_command = "stepbench show " + words;
  json::JsonText charts;
  charts.open_object();
  add_cases(charts, facts, drawing);
  struct Part {
    std::optional<document::Chapter> chapter;
    bool detail = false;  // behind the answer: starts folded
  };
  Part parts[] = {{sweep_section(facts)},
                  {overview_section(facts, notes)},
                  {anatomy_section(facts)},
                  {ranks_section(facts)},
                  {findings_section(facts)},
                  {ops_section(results, charts)},
                  {distributions_section(facts, drawing), true},
                  {launches_section(facts, charts), true},
                  {numbers_section(facts), true},
                  {environment_section(results, words), true}};
  ReportContent content{
      .kind = "run",
      .title = title_of_runs(results),
      .answer = run_answer(facts.rows, results, notes),
      .sections = {},
      .data = json_of(facts.rows, results, {}, estimate::Proposals(facts.rows, results)),
      .charts = charts.close_object().take(),
      .summary = counts_of(facts)};
  for (auto& [chapter, detail] : parts) {
    if (!chapter) continue;
    chapter->folded = detail;
    content.sections.push_back(std::move(*chapter));
  }
  content.measured = std::ranges::any_of(
      facts.rows, [](const estimate::CaseRow& row) { return !row.measured.empty(); });
  return content;
}

}  // namespace stepbench::report
