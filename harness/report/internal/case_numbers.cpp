// SPDX-License-Identifier: Apache-2.0
#include "harness/report/internal/case_numbers.h"

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "harness/base/pass.h"
#include "harness/document/render_text.h"
#include "harness/document/table.h"
#include "harness/ops/op_table.h"
#include "harness/report/internal/estimate_text.h"
#include "harness/stats/order_statistics.h"
#include "harness/text/numbers.h"

namespace stepbench::report {
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
  document::Table table{.title = "Requests: quantiles of " + text::with_separators(count) +
                                 " with their 95 % intervals",
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
  std::string text = "a step spans " + text::duration(*row.device_span_ns) + " on the device";
  if (row.host_lead_ns) {
    text += ", host ahead by " + text::duration(*row.host_lead_ns) + " (" +
            std::string(name_of(Source::kEventsAndHost)) + ")";
  }
  blocks.emplace_back(document::Paragraph{std::move(text)});
}

double data_wait_share(const estimate::LaunchEstimate& estimate) {
  for (const estimate::PhaseTime& phase : estimate.phases) {
    if (phase.name != "data_wait" || estimate.host_ns == 0) continue;
    return static_cast<double>(phase.ns) / static_cast<double>(estimate.host_ns);
  }
  return 0;
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
    table.rows.push_back(
        {.cells = {std::to_string(launch->row.key.launch), in_table(step),
                   in_table(quantiles.p50_ns), in_table(quantiles.p90_ns),
                   in_table(quantiles.p99_ns), in_table(quantiles.iqr_ns),
                   document::percent(data_wait_share(estimate)),
                   rated ? document::number(static_cast<double>(*estimate.samples) /
                                            (step * static_cast<double>(estimate.steps) * 1e-9))
                         : "-",
                   std::to_string(estimate.steps),
                   document::number(static_cast<double>(launch->row.wall_ns) * 1e-9)}});
  }
  return table;
}

// Adds the instruction counts of launches under valgrind: the only values of such launches that
// describe the case.
void add_counted(const estimate::CaseRow& row, const record::Results& results,
                 std::map<std::string, std::vector<double>>& values) {
  constexpr const char* kInstructions = "instructions_per_step";
  for (const record::Launch& launch : results.launches) {
    const record::LaunchKey& key = launch.row.key;
    if (key.pass != Pass::kWrapped || key.case_id != row.case_id || key.arm != row.arm) continue;
    const bool of_run =
        launch.run < results.runs.size() && results.runs[launch.run].run_id == row.run_id;
    const auto found = launch.row.report.metrics.find(kInstructions);
    if (!of_run || found == launch.row.report.metrics.end() || !found->second) continue;
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
    const record::LaunchKey& key = launch.row.key;
    const bool same_run =
        launch.run < results.runs.size() && results.runs[launch.run].run_id == row.run_id;
    if (!is_profiling(key.pass) || key.case_id != row.case_id || key.arm != row.arm || !same_run) {
      continue;
    }
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

}  // namespace stepbench::report
