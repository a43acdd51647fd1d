// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <iterator>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "harness/base/format.h"
#include "harness/base/pass.h"
#include "harness/document/document.h"
#include "harness/document/render.h"
#include "harness/estimate/case_rows.h"
#include "harness/estimate/columns.h"
#include "harness/estimate/launch_values.h"
#include "harness/ops/op_table.h"
#include "harness/record/quality.h"
#include "harness/report/internal/answer.h"
#include "harness/report/internal/estimate_text.h"
#include "harness/report/internal/findings.h"
#include "harness/report/internal/notes.h"
#include "harness/report/internal/run_title.h"
#include "harness/report/result_tables.h"
#include "harness/stats/order_statistics.h"
#include "harness/text/numbers.h"
#include "harness/text/words.h"

namespace stepbench::report {

// Tables on a case's page: the measurements of the case, and the lines of Python code in which
// loader workers spend their time. Pure; any thread.

// Requests, phases, launches.
[[nodiscard]] std::vector<document::Block> case_times(const estimate::CaseRow& row);
// Life-cycle times, memory, loader metrics: medians over the launches, in the units declared by the
// file.
[[nodiscard]] document::Table case_metrics(const estimate::CaseRow& row,
                                           const record::Results& results);
// Name without the unit, which the values show: "first_batch" for first_batch_ns.
[[nodiscard]] std::string display_name(const std::string& name);

// From the profiled launches of the row's case. Empty if they sampled no stacks.
[[nodiscard]] document::Table worker_lines(const estimate::CaseRow& row,
                                           const record::Results& results);

namespace {

constexpr std::size_t kPhaseBarCells = 30;

// "2.35 [2.31, 2.40]"; ">= 7.8" if there are too few requests for the quantile.
document::Cell quantile_cell(const estimate::RequestQuantile& quantile,
                             const text::TimeUnit& unit) {
  const auto in_unit = [&](double ns) { return ns / unit.ns; };
  if (quantile.ns) {
    return {
        text::significant(in_unit(*quantile.ns)) + ' ' +
            text::interval_text(in_unit(quantile.low_ns.value_or(0)), in_unit(*quantile.high_ns)),
        quantile.ns};
  }
  if (!quantile.low_ns) return "-";
  return {">= " + text::significant(in_unit(*quantile.low_ns)), quantile.low_ns};
}

void add_requests(const estimate::CaseRow& row, std::vector<document::Block>& blocks) {
  if (row.requests.empty()) return;
  const double headline = *row.headline_ns();
  const text::TimeUnit unit = text::unit_for({&headline, 1});
  std::int64_t count = 0;
  for (const estimate::MeasuredLaunch& each : row.measured) count += each.estimate.steps;
  document::Table table{.title = formatted("Requests: quantiles of {} with their 95 % intervals",
                                           text::with_separators(count)),
                        .columns = {document::words("quantity")}};
  for (const estimate::QuantileKind& quantile : estimate::kRequestQuantiles) {
    table.columns.push_back({.head = std::string(quantile.name), .unit = std::string(unit.name)});
  }
  bool bounded = false;
  for (const estimate::RequestTimes& times : row.requests) {
    document::TableRow& line = table.rows.emplace_back();
    line.cells.emplace_back(times.kind.name);
    for (const estimate::RequestQuantile& quantile : times.quantiles) {
      line.cells.push_back(quantile_cell(quantile, unit));
      bounded = bounded || !quantile.ns;
    }
  }
  blocks.emplace_back(std::move(table));
  if (bounded) {
    blocks.emplace_back(document::Paragraph{
        "`>=`: only a lower bound; more active steps or launches would resolve it"});
  }
}

document::Table phases_of(const estimate::CaseRow& row, const char* title,
                          const std::vector<estimate::PhaseEstimate>& phases) {
  const double step_ns = row.step_ns.value_or(1);
  const text::TimeUnit unit = text::unit_for({&step_ns, 1});
  document::Table table{.title = title,
                        .columns = {document::words("phase"),
                                    {.head = "per step", .unit = std::string(unit.name)},
                                    {.head = "share", .unit = "%"},
                                    {.head = "of the step", .left = true, .drop_at = 10}}};
  for (const estimate::PhaseEstimate& phase : phases) {
    table.rows.push_back(
        {.cells = {phase.name, document::number(phase.ns / unit.ns), document::percent(phase.share),
                   document::bar(phase.share, kPhaseBarCells)}});
  }
  return table;
}

void add_device(const estimate::CaseRow& row, std::vector<document::Block>& blocks) {
  if (!row.device_span_ns) return;
  std::string text =
      formatted("a step spans {} on the device", text::duration(*row.device_span_ns));
  if (row.host_lead_ns) {
    text += formatted(", host ahead by {} ({})", text::duration(*row.host_lead_ns),
                      name_of(Source::kEventsAndHost));
  }
  blocks.emplace_back(document::Paragraph{std::move(text)});
}

document::Table launches_of(const estimate::CaseRow& row) {
  if (row.measured.empty()) return {};
  const text::TimeUnit unit = text::unit_for({&*row.step_ns, 1});
  document::Table table{.title = "Launches",
                        .columns = {{.head = "launch", .drop_at = 90},
                                    {.head = "step", .unit = std::string(unit.name)},
                                    {.head = row.latency_ns ? "latency p50" : "p50", .drop_at = 65},
                                    {.head = "p90", .drop_at = 60},
                                    {.head = "p99", .drop_at = 50},
                                    {.head = "IQR", .drop_at = 40},
                                    {.head = "data wait", .unit = "%", .drop_at = 70},
                                    {.head = "samples/s", .drop_at = 80},
                                    {.head = "steps", .drop_at = 30},
                                    {.head = "wall", .unit = "s", .drop_at = 10}}};
  for (const auto& [launch, estimate] : row.measured) {
    const double step = estimate::step_ns(estimate, row.clock);
    const auto in_table = [&](std::optional<double> ns) {
      return ns ? document::number(*ns / unit.ns) : "-";
    };
    const estimate::StepQuantiles& quantiles = estimate.quantiles;
    const bool rated = estimate.samples && !estimate.no_rates;
    const double waits = estimate::phase_share(estimate, "data_wait");
    table.rows.push_back(
        {.cells = {std::to_string(launch->row.key.launch), in_table(step),
                   in_table(quantiles.p50_ns), in_table(quantiles.p90_ns),
                   in_table(quantiles.p99_ns), in_table(quantiles.iqr_ns),
                   document::percent(std::isfinite(waits) ? waits : 0),
                   rated ? document::number(static_cast<double>(*estimate.samples) /
                                            (step * static_cast<double>(estimate.steps) * 1e-9))
                         : "-",
                   std::to_string(estimate.steps),
                   document::number(static_cast<double>(launch->row.wall_ns) * 1e-9)}});
  }
  return table;
}

// Whatever its pass.
bool is_of(const record::Launch& launch, const estimate::CaseRow& row,
           const record::Results& results) {
  const record::LaunchKey& key = launch.row.key;
  return key.case_id == row.case_id && key.arm == row.arm && launch.run < results.runs.size() &&
         results.runs[launch.run].run_id == row.run_id;
}

// Adds the instruction counts of launches under valgrind: the only values of such launches that
// describe the case.
void add_counted(const estimate::CaseRow& row, const record::Results& results,
                 std::map<std::string, std::vector<double>>& values) {
  constexpr const char* kInstructions = "instructions_per_step";
  for (const record::Launch& launch : results.launches) {
    if (launch.row.key.pass != Pass::kWrapped || !is_of(launch, row, results)) continue;
    const auto found = launch.row.report.metrics.find(kInstructions);
    if (found == launch.row.report.metrics.end() || !found->second) continue;
    values[kInstructions].push_back(*found->second);
  }
}

}  // namespace

std::vector<document::Block> case_times(const estimate::CaseRow& row) {
  std::vector<document::Block> blocks;
  add_requests(row, blocks);
  blocks.emplace_back(phases_of(row, "Phases of a step on the host, by its own clock", row.phases));
  blocks.emplace_back(phases_of(row, "Phases of a step on the stream that computes, by CUDA events",
                                row.device_phases));
  blocks.emplace_back(phases_of(row, "Phases on other streams, beside the step", row.side_phases));
  add_device(row, blocks);
  blocks.emplace_back(launches_of(row));
  return blocks;
}

document::Table case_metrics(const estimate::CaseRow& row, const record::Results& results) {
  std::map<std::string, std::vector<double>> values;
  std::set<std::string> not_finite;
  for (const auto& [launch, estimate] : row.measured) {
    for (const auto& [name, value] : launch->row.report.metrics) {
      if (value) {
        values[name].push_back(*value);
      } else {
        not_finite.insert(name);
      }
    }
    if (estimate.borders) values["epoch_gap_ns"].push_back(estimate.borders->gap_ns);
  }
  if (row.pass == Pass::kTiming) add_counted(row, results, values);
  document::Table table{
      .title = "Life cycle and metrics, over launches",
      .columns = {document::words("metric"),
                  {.head = "median"},
                  {.head = "smallest", .drop_at = 20},
                  {.head = "largest", .drop_at = 20},
                  {.head = "by", .left = true, .drop_at = 25},
                  {.head = "", .left = true, .drop_at = 15, .shrink_at = 10, .shrink_to = 24}}};
  for (const auto& [name, numbers] : values) {
    const auto [low, high] = std::ranges::minmax(numbers);
    const auto metric = std::ranges::find(results.columns, name, &Metric::name);
    const bool known = metric != results.columns.end();
    const auto cell = [&, &metric_name = name](double value) {
      return document::Cell(quantity_text(value, metric_name, known ? metric->unit : std::string()),
                            value);
    };
    table.rows.push_back(
        {.cells = {display_name(name), cell(stats::median(numbers)), cell(low), cell(high),
                   known ? name_of(metric->source) : std::string_view(),
                   known ? metric->doc : std::string()}});
  }
  for (const std::string& name : not_finite) {
    if (!values.contains(name)) {
      table.rows.push_back({.cells = {name, "not finite", "", "", "", ""}});
    }
  }
  // Files of earlier versions do not record the clock of a number.
  document::drop_if_empty(table, 4);
  return table;
}

std::string display_name(const std::string& name) {
  for (const std::string_view unit : {"_ns", "_bytes"}) {
    if (name.ends_with(unit)) return name.substr(0, name.size() - unit.size());
  }
  return name;
}

namespace {

constexpr std::size_t kMaxWorkerLines = 12;

std::vector<ops::SampledLine> sampled_lines_of(const estimate::CaseRow& row,
                                               const record::Results& results) {
  std::vector<ops::OpFrame> frames;
  for (const record::Launch& launch : results.launches) {
    if (!is_profiling(launch.row.key.pass) || !is_of(launch, row, results)) continue;
    for (const ops::OpFrame& frame : launch.ops) {
      if (frame.table == "stacks") frames.push_back(frame);
    }
  }
  return ops::sampled_lines(ops::op_table_of(frames));
}

}  // namespace

document::Table worker_lines(const estimate::CaseRow& row, const record::Results& results) {
  document::Table table{
      .title = "Lines of Python that the loader's time is spent in, sampled in profiled launches",
      .columns = {{.head = "share", .unit = "%"},
                  {.head = "samples", .drop_at = 30},
                  {.head = "part", .left = true, .drop_at = 40},
                  document::words("line"),
                  {.head = "code", .left = true, .drop_at = 20, .shrink_at = 10, .shrink_to = 24},
                  {.head = "in", .left = true, .drop_at = 10}}};
  const std::vector<ops::SampledLine> lines = sampled_lines_of(row, results);
  std::int64_t all = 0;
  for (const ops::SampledLine& line : lines) all += line.samples;
  std::int64_t left = all;
  const auto add = [&](std::int64_t samples, const ops::SampledLine& line) {
    table.rows.push_back(
        {.cells = {document::share(static_cast<double>(samples), static_cast<double>(all)),
                   std::to_string(samples), line.part, line.place, line.code, line.calls}});
    left -= samples;
  };
  for (const ops::SampledLine& line : lines) {
    if (table.rows.size() == kMaxWorkerLines) break;
    add(line.samples, line);
  }
  if (left > 0) add(left, {"", "(other lines)", "", ""});
  return table;
}

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
  text += formatted("  {} measured", text::counted(std::ssize(row.measured), "launch"));
  const auto also = [&](std::size_t count, const char* what) {
    if (count > 0) text += formatted(", {} {}", count, what);
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
    text += formatted(
        "  {} {} {}",
        text::interval_text(row.interval_ns.low / unit.ns, row.interval_ns.high / unit.ns),
        unit.name, estimate::spread_name(row));
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
  return formatted("… (its last {} lines){}", kOutputLines, text.substr(at));
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
      formatted("{}{}{} default (--all-options shows them)", all_hidden ? "" : "the other ",
                text::counted(hidden_defaults, "option"),
                hidden_defaults == 1 ? " has its" : " have their")});
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

Fields option_defaults(const Catalogue& catalogue) {
  Fields defaults;
  std::set<std::string> ambiguous;
  const auto add = [&](const Section& section, const std::vector<Option>& some) {
    for (const Option& option : some) {
      const std::string name =
          section.name.empty() ? option.name : section.name + '.' + option.name;
      defaults.emplace(name, option.default_value);
      const Value& first = defaults.at(name);
      if (is_null(first) || first != option.default_value || !option.default_in.empty()) {
        ambiguous.insert(name);
      }
    }
  };
  for (const Section& section : catalogue.sections) {
    add(section, section.options);
    for (const Variant& variant : section.variants) add(section, variant.options);
  }
  for (const std::string& name : ambiguous) defaults.erase(name);
  return defaults;
}

}  // namespace stepbench::report
