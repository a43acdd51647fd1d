// SPDX-License-Identifier: Apache-2.0
#include "harness/report/case_page.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <set>
#include <utility>

#include "harness/estimate/columns.h"
#include "harness/record/quality.h"
#include "harness/report/internal/answer.h"
#include "harness/report/internal/case_numbers.h"
#include "harness/report/internal/estimate_text.h"
#include "harness/report/internal/findings.h"
#include "harness/report/internal/notes.h"
#include "harness/report/internal/run_title.h"
#include "harness/report/noise_text.h"
#include "harness/text/numbers.h"
#include "harness/text/words.h"

namespace stepbench::report {
namespace {

constexpr std::size_t kOutputLines = 20;

// First launch of the case, for common properties; measured ones first.
const record::Launch* first_launch(const estimate::CaseRow& row) {
  if (!row.measured.empty()) return row.measured.front().launch;
  if (!row.failed.empty()) return row.failed.front();
  return row.skipped.empty() ? nullptr : row.skipped.front();
}

std::string launches_line(const estimate::CaseRow& row) {
  std::string text = "case " + row.case_id;
  if (!row.arm.empty()) text += "  arm " + row.arm;
  if (row.pass != Pass::kTiming) text += "  pass " + std::string(name_of(row.pass));
  if (estimate::counts_instructions(row)) text += " (instructions counted by valgrind)";
  if (!row.workload.empty()) text += "  " + row.workload;
  text += "  " + text::counted(std::ssize(row.measured), "launch") + " measured";
  const auto also = [&](std::size_t count, const char* what) {
    if (count > 0) text += ", " + std::to_string(count) + ' ' + what;
  };
  also(row.failed.size(), "failed");
  also(row.skipped.size(), "skipped");
  also(static_cast<std::size_t>(row.unfinished), "unfinished");
  also(row.running.size(), "running now");
  if (row.smoke) text += "  (smoke: not for comparison)";
  return text;
}

// "step 52.9 ms  [52.6, 53.4] ms 95 % (n=10)  12.3 samples/s"
std::string numbers_line(const estimate::CaseRow& row) {
  const double headline = row.headline_ns().value_or(*row.step_ns);
  const text::TimeUnit unit = text::unit_for({&headline, 1});
  std::string text = (row.latency_ns ? "latency p50 " : "step ") + text::duration(headline);
  if (row.spread != estimate::Spread::kNone) {
    text += "  " +
            text::interval_text(row.interval_ns.low / unit.ns, row.interval_ns.high / unit.ns) +
            ' ' + std::string(unit.name) + ' ' + estimate::spread_name(row);
  }
  if (row.latency_ns) text += "  step " + text::duration(*row.step_ns);
  if (row.clock != estimate::StepClock::kHost) {
    text += "  clock: " + std::string(name_of(row.clock));
  }
  std::map<int, const estimate::EstimateColumn*> on_page;
  for (const estimate::EstimateColumn& column : estimate::estimate_columns()) {
    if (column.on_page > 0) on_page[column.on_page] = &column;
  }
  for (const auto& [place, column] : on_page) {
    const std::string number = estimate_text(*column, row, unit, {});
    if (number.empty()) continue;
    text.append("  ").append(column->page_before).append(number).append(column->page_after);
  }
  return text;
}

void add_titled(const std::string& title, std::vector<document::Paragraph> paragraphs,
                std::vector<document::Block>& blocks) {
  if (paragraphs.empty()) return;
  blocks.emplace_back(document::Heading{title});
  std::ranges::move(paragraphs, std::back_inserter(blocks));
}

void add_noise(const estimate::CaseRow& row, const record::Results& results,
               std::vector<document::Block>& blocks) {
  const auto noise = estimate::noise_of(row);
  if (!noise) return;
  std::vector<std::string> found = {NoiseAdvice::parts(*noise)};
  if (row.arm.empty()) {
    const NoiseAdvice advice(question_of(estimate::case_rows(results), kUsualChange));
    found.push_back(advice.design(*noise));
  }
  add_titled("Noise", document::paragraphs_of(found), blocks);
}

// The numbers of its step, or why there are none.
document::Answer case_answer(const estimate::CaseRow& row,
                             const std::vector<document::Paragraph>& notes) {
  document::Answer answer = run_answer({row}, {}, notes);
  if (row.step_ns) answer.text = numbers_line(row);
  return answer;
}

void add_notes(const estimate::CaseRow& row, std::vector<document::Paragraph> notes,
               std::vector<document::Block>& blocks) {
  if (std::string unseen = unseen_warmup(row); !unseen.empty()) {
    notes.push_back({std::move(unseen)});
  }
  add_titled("Notes", std::move(notes), blocks);
}

std::string last_lines(std::string_view text) {
  while (text.ends_with('\n')) text.remove_suffix(1);
  std::size_t at = text.size();
  for (std::size_t lines = 0; lines < kOutputLines && at > 0; ++lines) {
    const std::size_t newline = text.rfind('\n', at - 1);
    at = newline == std::string_view::npos ? 0 : newline;
  }
  if (at == 0) return std::string(text);
  return "… (its last " + std::to_string(kOutputLines) + " lines)" + std::string(text.substr(at));
}

void add_output(const estimate::CaseRow& row, std::vector<document::Block>& blocks) {
  std::map<std::string_view, std::vector<int>> launches;
  for (const record::Launch* launch : row.failed) {
    if (!launch->row.output.empty()) launches[launch->row.output].push_back(launch->row.key.launch);
  }
  for (const auto& [text, numbers] : launches) {
    const auto text_of_number = [](int number) { return std::to_string(number); };
    blocks.emplace_back(document::Verbatim{
        .title = "Output of failed launch " + text::join(numbers, ", ", text_of_number),
        .text = last_lines(text)});
  }
}

std::vector<std::string> title_lines(const estimate::CaseRow& row, const record::Results& results) {
  std::vector<std::string> lines = {launches_line(row)};
  if (std::string run = run_title(row, results); !run.empty()) lines.push_back(std::move(run));
  return lines;
}

// Rounds numbers to four digits.
std::string rounded(const Value& value) {
  const auto* number = std::get_if<double>(&value);
  std::string whole = to_text(value);
  if (number == nullptr) return whole;
  std::string four = text::significant(*number, 4);
  return four.size() < whole.size() ? four : whole;
}

document::Table fields_table(const std::string& title, const Fields& fields) {
  document::Table table{.title = title,
                        .columns = {document::words(""),
                                    {.head = "", .left = true, .shrink_at = 10, .shrink_to = 20}}};
  for (const auto& [key, value] : fields) {
    const auto* number = std::get_if<double>(&value);
    const bool time = number != nullptr && key.ends_with("_ns");
    table.rows.push_back({.cells = {time ? display_name(key) : key,
                                    time ? text::duration(*number) : rounded(value)}});
  }
  return table;
}

// Removes the size of a trend that was not found.
Fields shown_schedule(Fields schedule) {
  const std::string verdict = text_of(schedule, "warmup_verdict");
  if (verdict == "ok" || verdict == "unknown") schedule.erase("warmup_change");
  return schedule;
}

void add_environment(const record::Launch& launch, const record::Results& results,
                     std::vector<document::Block>& blocks) {
  for (const record::WorkerRow& worker : results.workers) {
    if (worker.worker_id != launch.row.worker_id) continue;
    Fields all = worker.environment;
    all["worker"] = worker.path;
    if (!worker.build_id.empty()) all["build_id"] = worker.build_id;
    blocks.emplace_back(fields_table("Environment", all));
  }
  Fields machine = launch.row.machine;
  const record::Quality quality(launch.row);
  for (const record::Fact fact :
       {record::Fact::kWaited, record::Fact::kOthers, record::Fact::kSteal}) {
    if (machine.empty() || quality.value(fact)) continue;
    machine.emplace(record::row_of(fact).name, std::string("not watched"));
  }
  blocks.emplace_back(
      fields_table("Machine during the first launch, seen from outside; gpu.* by NVML", machine));
}

void add_options(const estimate::CaseRow& row, const Fields& effective, const Fields& defaults,
                 std::vector<document::Block>& blocks) {
  std::set<std::string> names;
  for (const auto& [name, value] : row.options()) names.insert(name);
  for (const auto& [name, value] : effective) names.insert(name);
  std::int64_t hidden_defaults = 0;
  document::Table table{
      .title = "Options",
      .columns = {document::words("option"),
                  {.head = "value", .left = true, .shrink_at = 10, .shrink_to = 20},
                  {.head = "in force", .left = true, .shrink_at = 10, .shrink_to = 20}}};
  for (const std::string& name : names) {
    const auto asked = row.options().find(name);
    const auto used = effective.find(name);
    const bool is_asked = asked != row.options().end();
    const bool is_used = used != effective.end();
    if (is_asked && is_null(asked->second) && !is_used) continue;
    const std::string wanted = is_asked ? to_text(asked->second) : "";
    const std::string in_force = is_used ? to_text(used->second) : wanted;
    const auto usual = defaults.find(name);
    if (is_asked && in_force == wanted && usual != defaults.end() &&
        usual->second == asked->second) {
      ++hidden_defaults;
      continue;
    }
    table.rows.push_back({.cells = {name, wanted, in_force == wanted ? "" : in_force}});
  }
  document::drop_if_empty(table, 2);
  const bool all_hidden = table.rows.empty();
  if (all_hidden && hidden_defaults > 0) blocks.emplace_back(document::Heading{table.title});
  blocks.emplace_back(std::move(table));
  if (hidden_defaults == 0) return;
  blocks.emplace_back(document::Paragraph{
      std::string(all_hidden ? "" : "the other ") + text::counted(hidden_defaults, "option") +
      (hidden_defaults == 1 ? " has its" : " have their") + " default (--all-options shows them)"});
}

}  // namespace

document::Document case_document(const estimate::CaseRow& row, const record::Results& results,
                                 const Fields& defaults) {
  const record::Launch* first = first_launch(row);
  const record::LaunchReport report = first == nullptr ? record::LaunchReport{} : first->row.report;
  const std::vector<estimate::CaseRow> rows = estimate::case_rows(results);
  document::Chapter page{.id = "case", .title = "Case", .blocks = {}};
  std::vector<document::Block>& blocks = page.blocks;
  document::add_paragraphs(blocks, title_lines(row, results));
  std::ranges::move(case_times(row), std::back_inserter(blocks));
  add_noise(row, results, blocks);
  blocks.emplace_back(worker_lines(row, results));
  add_titled("Findings", finding_paragraphs(row, estimate::Proposals(rows, results)), blocks);
  std::vector<document::Paragraph> notes = notes_of({row}, record::Results{});
  document::Answer answer = case_answer(row, notes);
  add_notes(row, std::move(notes), blocks);
  add_output(row, blocks);
  blocks.emplace_back(case_metrics(row, results));
  blocks.emplace_back(fields_table("Fingerprint", report.fingerprint));
  blocks.emplace_back(fields_table("Schedule", shown_schedule(report.schedule)));
  if (first != nullptr) add_environment(*first, results, blocks);
  add_options(row, report.effective, defaults, blocks);
  return {.answer = std::move(answer), .chapters = {std::move(page)}};
}

}  // namespace stepbench::report
