// SPDX-License-Identifier: Apache-2.0
#include "harness/estimate/columns.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <optional>
#include <utility>
#include <vector>

#include "harness/estimate/launch_values.h"
#include "harness/estimate/noise.h"
#include "harness/estimate/ranking.h"
#include "harness/stats/order_statistics.h"

namespace stepbench::estimate {
namespace {

using Row = const CaseRow&;
using OneLaunch = const ClockedLaunch&;

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

Metric estimated(std::string name, std::string unit, std::string doc,
                 Direction direction = Direction::kLowerIsBetter) {
  return {.name = std::move(name),
          .unit = std::move(unit),
          .direction = direction,
          .doc = std::move(doc),
          .source = Source::kHostClock};
}

Value value_of(const std::optional<double>& number) { return number ? Value(*number) : Value(); }

template <std::optional<double> CaseRow::*Member>
Value number(Row row) {
  return value_of(row.*Member);
}

Value count(std::size_t count) { return static_cast<std::int64_t>(count); }

std::string outcome_of(Row row) {
  if (!row.measured.empty()) return "measured";
  if (!row.failed.empty()) return "failed";
  return row.skipped.empty() ? "unfinished" : "skipped";
}

std::string first_reason(Row row) {
  if (!row.failed.empty()) return reason_of(*row.failed.front());
  return row.skipped.empty() ? "" : reason_of(*row.skipped.front());
}

// Request latencies have quantiles of their own.
bool is_latency(Row row) { return row.latency_ns.has_value() && row.requests.empty(); }
bool is_on_device(Row row) { return row.clock == StepClock::kDevice; }

bool is_emulated(Row row) {
  return std::ranges::any_of(row.phases,
                             [](const PhaseEstimate& phase) { return phase.name == "emulated"; });
}

// Never shown by its own rule: the table adds these columns where the ranking puts them.
bool placed_by_table(Row) { return false; }

std::optional<JudgedValue> samples_rate(Row row) { return judged_value(row, Judged::kSamplesRate); }

double flops_per_s(OneLaunch of) {
  const auto rate = model_rate_of(of);
  return rate ? rate->flops_per_s : kNan;
}

double mfu(OneLaunch of) {
  const auto rate = model_rate_of(of);
  return rate ? rate->mfu.value_or(kNan) : kNan;
}

// True for phases other than the wait for data and the rest between phases.
template <typename Phase>
bool is_computing(const Phase& phase) {
  return phase.name != "data_wait" && phase.name != "other";
}

// NaN if the step has no phase besides the wait, or no wait.
double accelerator_utilisation(OneLaunch of) {
  const bool computes = std::ranges::any_of(of.estimate.phases, is_computing<PhaseTime>);
  return computes ? 1 - phase_share(of.estimate, "data_wait") : kNan;
}

// Null if all samples have the same length.
Value padding_share(Row row) {
  std::vector<double> shares;
  for (const MeasuredLaunch& each : row.measured) {
    const double share = reported(*each.launch, "loader_padding");
    if (!std::isnan(share)) shares.push_back(share);
  }
  return shares.empty() ? Value() : Value(stats::median(shares));
}

double epoch_gap_per_step(OneLaunch of) {
  const auto& borders = of.estimate.borders;
  if (!borders) return kNan;
  return borders->gap_ns *
         (static_cast<double>(borders->steps) / static_cast<double>(of.estimate.steps));
}

constexpr std::string_view kEndsHelp =
    "Interval of the step, or of the latency where there is one: 95 %, or smallest and largest "
    "launch of fewer than six.";

std::optional<JudgedValue> step_spread(Row row) {
  return JudgedValue{.spread = row.spread, .interval = row.interval_ns};
}

Value end_of(const std::optional<JudgedValue>& value, double stats::Interval::*end) {
  return value && value->spread != Spread::kNone ? Value(value->interval.*end) : Value();
}

Value end_in(const std::optional<stats::Interval>& interval, double stats::Interval::*end) {
  return interval ? Value((*interval).*end) : Value();
}

Value of_run(Row row, std::string record::RunRow::*text) {
  return row.run == nullptr ? Value() : Value(row.run->*text);
}

Value host_of(Row row) {
  if (row.run == nullptr) return {};
  const auto found = row.run->context.find("host");
  return found == row.run->context.end() ? Value() : found->second;
}

std::vector<EstimateColumn> make_key_columns() {
  return {
      {.metric = {.name = "case_id"},
       .get = [](Row row) { return Value(row.case_id); },
       .header = "case",
       .shown_for = placed_by_table},
      {.metric = {.name = "run_id"},
       .get = [](Row row) { return Value(row.run_id); },
       .header = "run",
       .shown_for = placed_by_table},
      {.metric = {.name = "arm"}, .get = [](Row row) { return Value(row.arm); }},
      {.metric = {.name = "pass"},
       .get = [](Row row) { return Value(std::string(name_of(row.pass))); }},
      {.metric = {.name = "workload"}, .get = [](Row row) { return Value(row.workload); }},
      {.metric = {.name = "experiment"},
       .get = [](Row row) { return of_run(row, &record::RunRow::name); }},
      {.metric = {.name = "started_utc"},
       .get = [](Row row) { return of_run(row, &record::RunRow::started_utc); }},
      {.metric = {.name = "host"}, .get = host_of},
  };
}

std::vector<EstimateColumn> make_estimate_columns() {
  return {
      {.metric = {.name = "outcome"}, .get = [](Row row) { return Value(outcome_of(row)); }},
      {.metric = {.name = "reason"}, .get = [](Row row) { return Value(first_reason(row)); }},
      {.metric = {.name = "smoke"}, .get = [](Row row) { return Value(row.smoke); }},
      {.metric = {.name = "launches"}, .get = [](Row row) { return count(row.measured.size()); }},
      {.metric = {.name = "failed_launches"},
       .get = [](Row row) { return count(row.failed.size()); }},
      {.metric = estimated("step_ns", "ns", "From a step's start to the start of the next one."),
       .of_launch = [](OneLaunch of) { return step_ns(of.estimate, of.clock); },
       .get = number<&CaseRow::step_ns>,
       .header = "step [{unit}]",
       .shown_for = placed_by_table,
       .gauge = {"step_seconds", "Median over launches of time per step."}},
      {.metric = {.name = "clock"},
       .get =
           [](Row row) { return row.step_ns ? Value(std::string(name_of(row.clock))) : Value(); }},
      {.metric =
           estimated("latency_p50_ns", "ns",
                     "Median over steps of the step without its data_wait; schedule.sync: step."),
       .of_launch =
           [](OneLaunch of) { return of.estimate.latency ? of.estimate.latency->p50_ns : kNan; },
       .get = number<&CaseRow::latency_ns>,
       .header = "latency p50 [{unit}]",
       .shown_for = placed_by_table,
       .gauge = {"latency_seconds", "Median over launches of a step's latency."}},
      {.metric = {.name = "spread"},
       .get = [](Row row) { return Value(std::string(name_of(row.spread))); }},
      {.metric = {.name = "low_ns"},
       .get = [](Row row) { return end_of(step_spread(row), &stats::Interval::low); },
       .gauge = {"step_low_seconds", kEndsHelp}},
      {.metric = {.name = "high_ns"},
       .get = [](Row row) { return end_of(step_spread(row), &stats::Interval::high); },
       .gauge = {"step_high_seconds", kEndsHelp}},
      {.metric = estimated("step_mean_ns", "ns", "Mean over launches of the step."),
       .get = number<&CaseRow::mean_ns>},
      {.metric =
           estimated("step_host_ns", "ns", "Time of the windows by the host's clock, per step."),
       .of_launch = [](OneLaunch of) { return step_ns(of.estimate, StepClock::kHost); },
       .get = number<&CaseRow::step_host_ns>,
       .header = "host [{unit}]",
       .drop_at = 65,
       .shown_for = is_on_device},
      {.metric =
           estimated("step_p50_ns", "ns", "Median over steps; describes, nothing is judged by it."),
       .of_launch = [](OneLaunch of) { return of.estimate.quantiles.p50_ns; },
       .get = number<&CaseRow::p50_ns>},
      {.metric = estimated("step_p90_ns", "ns", "90th percentile of the step time."),
       .of_launch = [](OneLaunch of) { return of.estimate.quantiles.p90_ns; },
       .get = number<&CaseRow::p90_ns>,
       .header = "p90",
       .drop_at = 30,
       .shown_for = is_latency},
      {.metric = estimated("step_p99_ns", "ns",
                           "99th percentile of the step time, of 300 steps or more."),
       .of_launch = [](OneLaunch of) { return of.estimate.quantiles.any_p99_ns; },
       .get = number<&CaseRow::p99_ns>,
       .header = "p99",
       .drop_at = 20,
       .shown_for = is_latency,
       .gauge = {"step_p99_seconds", "99th percentile of steps."}},
      {.metric = estimated("data_wait_share", "", "Share of step time spent waiting for data."),
       .of_launch = [](OneLaunch of) { return phase_share(of.estimate, "data_wait"); },
       .get = number<&CaseRow::data_wait_share>,
       .format = ColumnFormat::kPercent,
       .header = "data wait [%]",
       .drop_at = 60,
       .on_page = 4,
       .page_before = "data wait ",
       .page_after = " %",
       .gauge = {"data_wait_ratio", "Share of the step that waits for data."}},
      {.metric = estimated("accelerator_utilisation", "",
                           "What MLPerf Storage calls AU: share of step time that does not wait "
                           "for data. It asks for 90 %, of CosmoFlow for 70 %.",
                           Direction::kHigherIsBetter),
       .of_launch = accelerator_utilisation,
       .get =
           [](Row row) {
             const bool computes = std::ranges::any_of(row.phases, is_computing<PhaseEstimate>);
             return computes && row.data_wait_share ? Value(1 - *row.data_wait_share) : Value();
           },
       .format = ColumnFormat::kPercent,
       .header = "AU [%]",
       .drop_at = 62,
       .shown_for = is_emulated},
      {.metric = {.name = "padding_share"},
       .get = padding_share,
       .format = ColumnFormat::kPercent,
       .header = "pad [%]",
       .drop_at = 55},
      {.metric = estimated("samples_per_s", "samples/s", "Samples per second of step time.",
                           Direction::kHigherIsBetter),
       .of_launch = [](OneLaunch of) { return work_rate(of, of.estimate.samples); },
       .get = number<&CaseRow::samples_per_s>,
       .format = ColumnFormat::kNumber,
       .header = "samples/s",
       .drop_at = 70,
       .on_page = 1,
       .page_after = " samples/s",
       .gauge = {"samples_per_second", "Samples of a step over its time."}},
      {.metric = {.name = "samples_per_s_low"},
       .get = [](Row row) { return end_of(samples_rate(row), &stats::Interval::low); },
       .format = ColumnFormat::kNumber},
      {.metric = {.name = "samples_per_s_high"},
       .get = [](Row row) { return end_of(samples_rate(row), &stats::Interval::high); },
       .format = ColumnFormat::kNumber},
      {.metric = estimated("tokens_per_s", "tokens/s", "Tokens per second of step time.",
                           Direction::kHigherIsBetter),
       .of_launch = [](OneLaunch of) { return work_rate(of, of.estimate.tokens); },
       .get = number<&CaseRow::tokens_per_s>,
       .format = ColumnFormat::kNumber,
       .header = "tokens/s",
       .drop_at = 50,
       .gauge = {"tokens_per_second", "Tokens of a step over its time."}},
      {.metric = estimated(
           "bytes_per_s", "bytes/s",
           "Bytes that a step copies or exchanges over its time, where steps have no samples.",
           Direction::kHigherIsBetter),
       .of_launch =
           [](OneLaunch of) {
             return of.estimate.samples ? kNan : work_rate(of, of.estimate.bytes);
           },
       .get = number<&CaseRow::bytes_per_s>,
       .format = ColumnFormat::kGiga,
       .header = "GB/s",
       .drop_at = 50,
       .gauge = {"bytes_per_second", "Bytes of a step over its time."}},
      {.metric = estimated("epoch_gap_ns", "ns",
                           "Extra wait at the start of an epoch, over that of other steps."),
       .of_launch =
           [](OneLaunch of) { return of.estimate.borders ? of.estimate.borders->gap_ns : kNan; },
       .get = number<&CaseRow::epoch_gap_ns>},
      {.metric = estimated("epoch_gap_per_step_ns", "ns", "epoch_gap_ns, spread over all steps."),
       .of_launch = epoch_gap_per_step,
       .get = number<&CaseRow::epoch_gap_per_step_ns>},
      {.metric =
           estimated("achieved_flops_per_s", "FLOP/s",
                     "The model's operations per second of step time.", Direction::kHigherIsBetter),
       .of_launch = flops_per_s,
       .get = number<&CaseRow::achieved_flops_per_s>,
       .format = ColumnFormat::kGiga,
       .on_page = 2,
       .page_after = " GFLOP/s"},
      {.metric = estimated("mfu", "",
                           "Model FLOP utilisation: achieved_flops_per_s over device_peak_flops.",
                           Direction::kHigherIsBetter),
       .of_launch = mfu,
       .get = number<&CaseRow::mfu>,
       .format = ColumnFormat::kPercent,
       .header = "MFU [%]",
       .drop_at = 65,
       .on_page = 3,
       .page_before = "MFU ",
       .page_after = " %",
       .gauge = {"model_flops_utilisation_ratio", "Achieved share of the peak rate."}},
      {.metric = {.name = "scaling_efficiency"},
       .get = number<&CaseRow::scaling_efficiency>,
       .format = ColumnFormat::kPercent,
       .header = "scaling [%]",
       .shown_for = placed_by_table},
      {.metric = {.name = "scaling_efficiency_low"},
       .get = [](Row row) { return end_in(row.scaling_interval, &stats::Interval::low); },
       .format = ColumnFormat::kPercent},
      {.metric = {.name = "scaling_efficiency_high"},
       .get = [](Row row) { return end_in(row.scaling_interval, &stats::Interval::high); },
       .format = ColumnFormat::kPercent},
      {.metric = {.name = "vs_best"},
       .get = number<&CaseRow::vs_best>,
       .format = ColumnFormat::kRatio,
       .header = "vs best",
       .shown_for = placed_by_table},
      {.metric = {.name = "at_most_slower"},
       .get = number<&CaseRow::at_most_slower>,
       .format = ColumnFormat::kSmallPercent,
       .header = "at most slower [%]",
       .shown_for = placed_by_table},
      {.metric = {.name = "vs_baseline"},
       .get = number<&CaseRow::vs_baseline>,
       .format = ColumnFormat::kRatio,
       .header = "vs baseline",
       .shown_for = placed_by_table},
      {.metric = {.name = "vs_baseline_low"},
       .get = [](Row row) { return end_in(row.vs_baseline_interval, &stats::Interval::low); },
       .format = ColumnFormat::kRatio},
      {.metric = {.name = "vs_baseline_high"},
       .get = [](Row row) { return end_in(row.vs_baseline_interval, &stats::Interval::high); },
       .format = ColumnFormat::kRatio},
  };
}

std::optional<double> step_noise(const CaseNoise& noise) { return noise.step_sd; }

template <auto Get>
Value noise(Row row) {
  const auto found = noise_of(row);
  return found ? value_of(Get(*found)) : Value();
}

// From noise_of(); null if it is unknown.
template <auto Get>
Value launch_noise(Row row) {
  const auto found = noise_of(row);
  return found && found->step_sd ? Value(Get(*found)) : Value();
}

std::vector<EstimateColumn> make_noise_columns() {
  return {
      {.metric = {.name = "noise_total"},
       .get = noise<[](const CaseNoise& each) { return std::optional(each.total_sd); }>,
       .format = ColumnFormat::kSmallPercent,
       .header = "launch sd [%]"},
      {.metric = {.name = "noise_launches"},
       .get = launch_noise<[](const CaseNoise& each) { return each.launch_sd; }>,
       .format = ColumnFormat::kSmallPercent,
       .header = "own sd [%]"},
      {.metric = {.name = "noise_launches_low"},
       .get = launch_noise<[](const CaseNoise& each) { return each.launch_interval.low; }>,
       .format = ColumnFormat::kSmallPercent,
       .header = "own low"},
      {.metric = {.name = "noise_launches_high"},
       .get = launch_noise<[](const CaseNoise& each) { return each.launch_interval.high; }>,
       .format = ColumnFormat::kSmallPercent,
       .header = "own high"},
      {.metric = {.name = "noise_steps"},
       .get = noise<step_noise>,
       .format = ColumnFormat::kSmallPercent,
       .header = "step sd [%]"},
      {.metric = {.name = "steps_per_launch"},
       .get =
           [](Row row) {
             const auto found = noise_of(row);
             return found ? Value(static_cast<std::int64_t>(std::llround(found->steps))) : Value();
           },
       .header = "steps"},
      {.metric = {.name = "noise_of_steps"},
       .get = launch_noise<[](const CaseNoise& each) {
         return *each.step_sd / std::sqrt(each.steps);
       }>,
       .format = ColumnFormat::kSmallPercent,
       .header = "of steps [%]"},
  };
}

}  // namespace

bool is_time(const EstimateColumn& column) { return column.metric.name.ends_with("_ns"); }

std::span<const EstimateColumn> key_columns() {
  static const std::vector<EstimateColumn> columns = make_key_columns();
  return columns;
}

std::span<const EstimateColumn> estimate_columns() {
  static const std::vector<EstimateColumn> columns = make_estimate_columns();
  return columns;
}

std::span<const EstimateColumn> noise_columns() {
  static const std::vector<EstimateColumn> columns = make_noise_columns();
  return columns;
}

const std::vector<const EstimateColumn*>& all_columns() {
  static const std::vector<const EstimateColumn*> all = [] {
    std::vector<const EstimateColumn*> columns;
    for (const auto of_kind :
         {key_columns(), estimate_columns(), request_columns(), noise_columns()}) {
      for (const EstimateColumn& column : of_kind) columns.push_back(&column);
    }
    return columns;
  }();
  return all;
}

const EstimateColumn* find_column(std::string_view name) {
  const auto found = std::ranges::find(
      all_columns(), name,
      [](const EstimateColumn* column) -> std::string_view { return column->metric.name; });
  return found == all_columns().end() ? nullptr : *found;
}

const std::vector<Metric>& harness_metrics() {
  static const std::vector<Metric> metrics = [] {
    std::vector<Metric> all;
    for (const auto columns : {estimate_columns(), request_columns(), launch_metrics()}) {
      for (const EstimateColumn& column : columns) {
        if (!column.metric.doc.empty()) all.push_back(column.metric);
      }
    }
    return all;
  }();
  return metrics;
}

double launch_value(const ClockedLaunch& of, std::string_view metric) {
  for (const auto columns : {estimate_columns(), launch_metrics()}) {
    for (const EstimateColumn& column : columns) {
      if (column.metric.name == metric && column.of_launch != nullptr) return column.of_launch(of);
    }
  }
  const double value = reported(of.launch, metric);
  return std::isnan(value) ? column_mean(of.launch, metric) : value;
}

}  // namespace stepbench::estimate
