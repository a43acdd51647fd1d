// SPDX-License-Identifier: Apache-2.0
#include "harness/estimate/columns.h"

#include <cmath>
#include <cstdint>
#include <optional>

#include "harness/estimate/noise.h"
#include "harness/estimate/ranking.h"
#include "harness/record/encode.h"

namespace stepbench::estimate {
namespace {

using Row = const CaseRow&;

Value value_of(const std::optional<double>& number) { return number ? Value(*number) : Value(); }

template <std::optional<double> CaseRow::*Member>
Value number(Row row) {
  return value_of(row.*Member);
}

Value count(std::size_t count) { return static_cast<std::int64_t>(count); }

std::string spread_of(Row row) {
  switch (row.spread) {
    case Spread::kOverLaunches:
      return "interval_95";
    case Spread::kRange:
      return "range";
    case Spread::kWithinLaunch:
      return "within_one_launch";
    case Spread::kNone:
      break;
  }
  return "none";
}

std::string outcome_of(Row row) {
  if (!row.measured.empty()) return "measured";
  if (!row.failed.empty()) return "failed";
  return row.skipped.empty() ? "unfinished" : "skipped";
}

std::string first_reason(Row row) {
  if (!row.failed.empty()) return reason_of(*row.failed.front());
  return row.skipped.empty() ? "" : reason_of(*row.skipped.front());
}

// Those of requests have quantiles of their own.
bool is_latency(Row row) { return row.latency_ns.has_value() && row.requests.empty(); }
bool is_on_device(Row row) { return row.clock == StepClock::kDevice; }

// The table makes these columns itself, in the place that the ranking gives them.
bool placed_by_table(Row) { return false; }

std::optional<JudgedValue> samples_rate(Row row) { return judged_value(row, Judged::kSamplesRate); }

Value end_of(const std::optional<JudgedValue>& value, double stats::Interval::*end) {
  return value && value->spread != Spread::kNone ? Value(value->interval.*end) : Value();
}

Value vs_baseline_end(Row row, double stats::Interval::*end) {
  return row.vs_baseline_interval ? Value((*row.vs_baseline_interval).*end) : Value();
}

Value of_run(Row row, std::string record::RunRow::*text) {
  return row.run == nullptr ? Value() : Value(row.run->*text);
}

Value host_of(Row row) {
  if (row.run == nullptr) return {};
  const auto found = row.run->context.find("host");
  return found == row.run->context.end() ? Value() : found->second;
}

constexpr EstimateColumn kKeyColumns[] = {
    {.name = "case_id",
     .get = [](Row row) { return Value(row.case_id); },
     .header = "case",
     .shown_for = placed_by_table},
    {.name = "run_id",
     .get = [](Row row) { return Value(row.run_id); },
     .header = "run",
     .shown_for = placed_by_table},
    {.name = "arm", .get = [](Row row) { return Value(row.arm); }},
    {.name = "pass", .get = [](Row row) { return Value(std::string(record::name_of(row.pass))); }},
    {.name = "workload", .get = [](Row row) { return Value(row.workload); }},
    {.name = "experiment", .get = [](Row row) { return of_run(row, &record::RunRow::name); }},
    {.name = "started_utc",
     .get = [](Row row) { return of_run(row, &record::RunRow::started_utc); }},
    {.name = "host", .get = host_of},
};

constexpr EstimateColumn kEstimateColumns[] = {
    {.name = "outcome", .get = [](Row row) { return Value(outcome_of(row)); }},
    {.name = "reason", .get = [](Row row) { return Value(first_reason(row)); }},
    {.name = "smoke", .get = [](Row row) { return Value(row.smoke); }},
    {.name = "launches", .get = [](Row row) { return count(row.measured.size()); }},
    {.name = "failed_launches", .get = [](Row row) { return count(row.failed.size()); }},
    {.name = "step_ns",
     .get = number<&CaseRow::step_ns>,
     .format = ColumnFormat::kTime,
     .header = "step [{unit}]",
     .shown_for = placed_by_table},
    {.name = "clock",
     .get = [](Row row) { return row.step_ns ? Value(std::string(name_of(row.clock))) : Value(); }},
    {.name = "latency_p50_ns",
     .get = number<&CaseRow::latency_ns>,
     .format = ColumnFormat::kTime,
     .header = "latency p50 [{unit}]",
     .shown_for = placed_by_table},
    {.name = "spread", .get = [](Row row) { return Value(spread_of(row)); }},
    {.name = "low_ns",
     .get =
         [](Row row) { return row.spread == Spread::kNone ? Value() : Value(row.interval_ns.low); },
     .format = ColumnFormat::kTime},
    {.name = "high_ns",
     .get =
         [](Row row) {
           return row.spread == Spread::kNone ? Value() : Value(row.interval_ns.high);
         },
     .format = ColumnFormat::kTime},
    {.name = "step_mean_ns", .get = number<&CaseRow::mean_ns>, .format = ColumnFormat::kTime},
    {.name = "step_host_ns",
     .get = number<&CaseRow::step_host_ns>,
     .format = ColumnFormat::kTime,
     .header = "host [{unit}]",
     .drop_at = 65,
     .shown_for = is_on_device},
    {.name = "step_p50_ns", .get = number<&CaseRow::p50_ns>, .format = ColumnFormat::kTime},
    {.name = "step_p90_ns",
     .get = number<&CaseRow::p90_ns>,
     .format = ColumnFormat::kTime,
     .header = "p90",
     .drop_at = 30,
     .shown_for = is_latency},
    {.name = "step_p99_ns",
     .get = number<&CaseRow::p99_ns>,
     .format = ColumnFormat::kTime,
     .header = "p99",
     .drop_at = 20,
     .shown_for = is_latency},
    {.name = "data_wait_share",
     .get = number<&CaseRow::data_wait_share>,
     .format = ColumnFormat::kPercent,
     .header = "data wait [%]",
     .drop_at = 60,
     .on_page = 4,
     .page_before = "data wait ",
     .page_after = " %"},
    {.name = "samples_per_s",
     .get = number<&CaseRow::samples_per_s>,
     .format = ColumnFormat::kNumber,
     .header = "samples/s",
     .drop_at = 70,
     .on_page = 1,
     .page_after = " samples/s"},
    {.name = "samples_per_s_low",
     .get = [](Row row) { return end_of(samples_rate(row), &stats::Interval::low); },
     .format = ColumnFormat::kNumber},
    {.name = "samples_per_s_high",
     .get = [](Row row) { return end_of(samples_rate(row), &stats::Interval::high); },
     .format = ColumnFormat::kNumber},
    {.name = "tokens_per_s",
     .get = number<&CaseRow::tokens_per_s>,
     .format = ColumnFormat::kNumber,
     .header = "tokens/s",
     .drop_at = 50},
    {.name = "epoch_gap_ns", .get = number<&CaseRow::epoch_gap_ns>, .format = ColumnFormat::kTime},
    {.name = "epoch_gap_per_step_ns",
     .get = number<&CaseRow::epoch_gap_per_step_ns>,
     .format = ColumnFormat::kTime},
    {.name = "achieved_flops_per_s",
     .get = number<&CaseRow::achieved_flops_per_s>,
     .format = ColumnFormat::kGiga,
     .on_page = 2,
     .page_after = " GFLOP/s"},
    {.name = "mfu",
     .get = number<&CaseRow::mfu>,
     .format = ColumnFormat::kPercent,
     .header = "MFU [%]",
     .drop_at = 65,
     .on_page = 3,
     .page_before = "MFU ",
     .page_after = " %"},
    {.name = "vs_best",
     .get = number<&CaseRow::vs_best>,
     .format = ColumnFormat::kRatio,
     .header = "vs best",
     .shown_for = placed_by_table},
    {.name = "at_most_slower",
     .get = number<&CaseRow::at_most_slower>,
     .format = ColumnFormat::kSmallPercent,
     .header = "at most slower [%]",
     .shown_for = placed_by_table},
    {.name = "vs_baseline",
     .get = number<&CaseRow::vs_baseline>,
     .format = ColumnFormat::kRatio,
     .header = "vs baseline",
     .shown_for = placed_by_table},
    {.name = "vs_baseline_low",
     .get = [](Row row) { return vs_baseline_end(row, &stats::Interval::low); },
     .format = ColumnFormat::kRatio},
    {.name = "vs_baseline_high",
     .get = [](Row row) { return vs_baseline_end(row, &stats::Interval::high); },
     .format = ColumnFormat::kRatio},
};

std::optional<double> step_noise(const CaseNoise& noise) { return noise.step_sd; }

template <auto Get>
Value noise(Row row) {
  const auto found = noise_of(row);
  return found ? value_of(Get(*found)) : Value();
}

// Of the launches' own part; null where it is not known.
template <auto Get>
Value launch_noise(Row row) {
  const auto found = noise_of(row);
  return found && found->step_sd ? Value(Get(*found)) : Value();
}

constexpr EstimateColumn kNoiseColumns[] = {
    {.name = "noise_total",
     .get = noise<[](const CaseNoise& each) { return std::optional(each.total_sd); }>,
     .format = ColumnFormat::kSmallPercent,
     .header = "launch sd [%]"},
    {.name = "noise_launches",
     .get = launch_noise<[](const CaseNoise& each) { return each.launch_sd; }>,
     .format = ColumnFormat::kSmallPercent,
     .header = "own sd [%]"},
    {.name = "noise_launches_low",
     .get = launch_noise<[](const CaseNoise& each) { return each.launch_interval.low; }>,
     .format = ColumnFormat::kSmallPercent,
     .header = "own low"},
    {.name = "noise_launches_high",
     .get = launch_noise<[](const CaseNoise& each) { return each.launch_interval.high; }>,
     .format = ColumnFormat::kSmallPercent,
     .header = "own high"},
    {.name = "noise_steps",
     .get = noise<step_noise>,
     .format = ColumnFormat::kSmallPercent,
     .header = "step sd [%]"},
    {.name = "steps_per_launch",
     .get =
         [](Row row) {
           const auto found = noise_of(row);
           return found ? Value(static_cast<std::int64_t>(std::llround(found->steps))) : Value();
         },
     .header = "steps"},
    {.name = "noise_of_steps",
     .get =
         launch_noise<[](const CaseNoise& each) { return *each.step_sd / std::sqrt(each.steps); }>,
     .format = ColumnFormat::kSmallPercent,
     .header = "of steps [%]"},
};

}  // namespace

std::span<const EstimateColumn> key_columns() { return kKeyColumns; }
std::span<const EstimateColumn> estimate_columns() { return kEstimateColumns; }
std::span<const EstimateColumn> noise_columns() { return kNoiseColumns; }

}  // namespace stepbench::estimate
