// SPDX-License-Identifier: Apache-2.0
#include "harness/estimate/internal/case_estimate.h"

#include <algorithm>
#include <cstdint>
#include <map>
#include <numeric>
#include <optional>
#include <span>
#include <string>
#include <tuple>
#include <utility>

#include "harness/base/format.h"
#include "harness/base/value.h"
#include "harness/estimate/launch_values.h"
#include "harness/estimate/ranking.h"
#include "harness/stats/order_statistics.h"

namespace stepbench::estimate {
namespace {

template <typename Get>
std::optional<double> median_over(const std::vector<MeasuredLaunch>& launches, Get get) {
  std::vector<double> values;
  for (const MeasuredLaunch& each : launches) {
    if (const std::optional<double> value = get(each.estimate)) values.push_back(*value);
  }
  if (values.empty()) return std::nullopt;
  return stats::median(values);
}

std::optional<stats::Interval> within_launch(const MeasuredLaunch& only) {
  if (only.estimate.latency) return only.estimate.latency->interval_ns;
  const Fields& schedule = only.launch->row.report.schedule;
  const auto low = number_of(schedule, "within_launch_low_ns");
  const auto high = number_of(schedule, "within_launch_high_ns");
  if (!low || !high) return std::nullopt;
  return stats::Interval{*low, *high};
}

void add_spread(CaseRow& row, const std::vector<double>& launches) {
  constexpr double kConfidence = 0.95;
  if (const auto interval = stats::median_interval(launches, kConfidence)) {
    row.spread = Spread::kOverLaunches;
    row.interval_ns = *interval;
  } else if (launches.size() > 1) {
    const auto [low, high] = std::minmax_element(launches.begin(), launches.end());
    row.spread = Spread::kRange;
    row.interval_ns = {*low, *high};
  } else if (const auto within = within_launch(row.measured.front())) {
    row.spread = Spread::kWithinLaunch;
    row.interval_ns = *within;
  }
}

// Work per step over all launches, divided by the case's step time.
std::optional<double> rate(const CaseRow& row, std::optional<std::int64_t> LaunchEstimate::*count) {
  double work = 0;
  double steps = 0;
  bool known = false;
  for (const auto& [launch, estimate] : row.measured) {
    steps += static_cast<double>(estimate.steps);
    if (!(estimate.*count)) continue;
    known = true;
    work += static_cast<double>(*(estimate.*count));
  }
  if (!known || !(*row.step_ns > 0)) return std::nullopt;
  return work / steps / (*row.step_ns * 1e-9);
}

// Returns the launch with the median step, or the two around the median.
std::vector<const LaunchEstimate*> middle_launches(const CaseRow& row, StepClock clock) {
  std::vector<const LaunchEstimate*> launches;
  for (const MeasuredLaunch& each : row.measured) launches.push_back(&each.estimate);
  std::stable_sort(launches.begin(), launches.end(),
                   [&](const LaunchEstimate* a, const LaunchEstimate* b) {
                     return step_ns(*a, clock) < step_ns(*b, clock);
                   });
  const std::size_t n = launches.size();
  return {launches.begin() + static_cast<std::ptrdiff_t>((n - 1) / 2),
          launches.begin() + static_cast<std::ptrdiff_t>(n / 2 + 1)};
}

// Takes the phases of the middle launches: they sum to the case's step, and are not affected by a
// launch with a slow step.
std::vector<PhaseEstimate> phases_of(const CaseRow& row,
                                     std::vector<PhaseTime> LaunchEstimate::*which,
                                     StepClock clock) {
  std::vector<PhaseEstimate> phases;
  const std::vector<const LaunchEstimate*> middle = middle_launches(row, clock);
  double whole_ns = 0;
  for (const LaunchEstimate* estimate : middle) {
    const double weight =
        1 / (static_cast<double>(middle.size()) * static_cast<double>(estimate->steps));
    whole_ns += static_cast<double>(window_ns(*estimate, clock)) * weight;
    for (const PhaseTime& time : estimate->*which) {
      auto found = std::find_if(phases.begin(), phases.end(),
                                [&](const PhaseEstimate& each) { return each.name == time.name; });
      if (found == phases.end()) found = phases.insert(phases.end(), {time.name, 0, 0});
      found->ns += static_cast<double>(time.ns) * weight;
    }
  }
  for (PhaseEstimate& phase : phases) phase.share = whole_ns > 0 ? phase.ns / whole_ns : 0;
  std::stable_partition(phases.begin(), phases.end(),
                        [](const PhaseEstimate& phase) { return phase.name != "other"; });
  return phases;
}

void add_phases(CaseRow& row) {
  row.phases = phases_of(row, &LaunchEstimate::phases, StepClock::kHost);
  if (row.clock == StepClock::kDevice) {
    row.device_phases = phases_of(row, &LaunchEstimate::device_phases, StepClock::kDevice);
    row.side_phases = phases_of(row, &LaunchEstimate::side_phases, StepClock::kDevice);
  }
  for (const PhaseEstimate& phase : row.phases) {
    if (phase.name == "data_wait") row.data_wait_share = phase.share;
  }
}

void add_model_rate(CaseRow& row) {
  const auto flops =
      median_over(row.measured, [](const LaunchEstimate& e) { return e.flops_per_step; });
  if (!flops || !(*row.step_ns > 0)) return;
  const auto peak =
      median_over(row.measured, [](const LaunchEstimate& e) { return e.device_peak_flops; });
  const ModelRate rate = model_rate(*flops, peak, *row.step_ns);
  row.achieved_flops_per_s = rate.flops_per_s;
  row.mfu = rate.mfu;
  row.mfu_refused = rate.refused;
}

void add_borders(CaseRow& row) {
  double steps = 0;
  double gaps = 0;
  double borders = 0;
  for (const auto& [launch, estimate] : row.measured) {
    steps += static_cast<double>(estimate.steps);
    if (!estimate.borders) continue;
    borders += static_cast<double>(estimate.borders->steps);
    gaps += estimate.borders->gap_ns * static_cast<double>(estimate.borders->steps);
  }
  if (borders == 0) return;
  row.epoch_gap_ns = gaps / borders;
  row.epoch_gap_per_step_ns = gaps / steps;
}

}  // namespace

void estimate_case(CaseRow& row) {
  if (row.measured.empty()) return;
  row.clock = clock_of(row.measured.front().estimate);
  for (const auto& [launch, estimate] : row.measured)
    row.clock = common(row.clock, clock_of(estimate));
  std::vector<double> steps;
  std::vector<double> headlines;
  for (const auto& [launch, estimate] : row.measured) {
    steps.push_back(step_ns(estimate, row.clock));
    if (const double ns = headline_ns(estimate, row.clock); ns > 0) headlines.push_back(ns);
  }
  using Estimate = LaunchEstimate;
  const auto over = [&](auto get) { return median_over(row.measured, get); };
  row.step_ns = stats::median(steps);
  row.mean_ns =
      std::accumulate(steps.begin(), steps.end(), 0.0) / static_cast<double>(steps.size());
  row.latency_ns = over([](const Estimate& e) {
    return e.latency ? std::optional(e.latency->p50_ns) : std::nullopt;
  });
  add_spread(row, headlines);
  row.step_host_ns =
      over([](const Estimate& e) { return std::optional(step_ns(e, StepClock::kHost)); });
  row.p50_ns = over([](const Estimate& e) { return std::optional(e.quantiles.p50_ns); });
  row.p90_ns = over([](const Estimate& e) { return std::optional(e.quantiles.p90_ns); });
  row.p99_ns = over([](const Estimate& e) { return e.quantiles.p99_ns; });
  row.device_span_ns = over([](const Estimate& e) { return e.device_span_ns; });
  row.host_lead_ns = over([](const Estimate& e) { return e.host_lead_ns; });
  std::vector<const record::Launch*> launches;
  for (const MeasuredLaunch& each : row.measured) launches.push_back(each.launch);
  if (row.latency_ns) row.requests = request_times(launches);
  add_phases(row);
  add_borders(row);
  const auto unknown = [](const MeasuredLaunch& each) { return each.estimate.no_rates; };
  if (std::any_of(row.measured.begin(), row.measured.end(), unknown)) return;
  row.samples_per_s = rate(row, &LaunchEstimate::samples);
  row.tokens_per_s = rate(row, &LaunchEstimate::tokens);
  if (!row.samples_per_s) row.bytes_per_s = rate(row, &LaunchEstimate::bytes);
  add_model_rate(row);
}

namespace {

std::int64_t ranks_of(const CaseRow& row) {
  const Value* ranks = row.option("distributed.ranks");
  return ranks == nullptr ? 1 : static_cast<std::int64_t>(number_of(*ranks).value_or(1));
}

std::optional<double> work_rate(const CaseRow& row) {
  return row.samples_per_s ? row.samples_per_s : row.tokens_per_s;
}

// Key shared by rows that differ only in their number of ranks.
using Work = std::tuple<std::string, std::string, Pass, std::string>;

Work work_of(const CaseRow& row) {
  std::string options;
  for (const auto& [name, value] : row.options()) {
    if (is_null(value) || name.starts_with("distributed.")) continue;
    options += formatted("{}={}\n", name, to_text(value));
  }
  return {row.run_id, row.arm, row.pass, std::move(options)};
}

}  // namespace

void add_scaling(std::span<CaseRow> rows) {
  std::map<Work, CaseRow*> single_rank;
  const auto is_group = [](const CaseRow& row) { return ranks_of(row) > 1; };
  if (std::ranges::none_of(rows, is_group)) return;
  for (CaseRow& row : rows) {
    if (!is_group(row) && work_rate(row).value_or(0) > 0) single_rank.emplace(work_of(row), &row);
  }
  for (CaseRow& row : rows) {
    if (!is_group(row)) continue;
    const auto found = single_rank.find(work_of(row));
    if (found == single_rank.end()) continue;
    const auto ratio = speed_up(row, *found->second,
                                row.samples_per_s ? Judged::kSamplesRate : Judged::kTokensRate);
    if (!ratio) continue;
    const auto ranks = static_cast<double>(ranks_of(row));
    found->second->scaling_efficiency = 1;
    row.scaling_efficiency = ratio->value / ranks;
    if (ratio->interval) {
      row.scaling_interval = {ratio->interval->low / ranks, ratio->interval->high / ranks};
    }
  }
}

}  // namespace stepbench::estimate
