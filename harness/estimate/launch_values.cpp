// SPDX-License-Identifier: Apache-2.0
#include "harness/estimate/launch_values.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "harness/estimate/internal/launch_estimate.h"
#include "harness/stats/order_statistics.h"

namespace stepbench::estimate {
namespace {

constexpr double kNoNumber = std::numeric_limits<double>::quiet_NaN();

// True if the launch has no device times although the common clock is the device's.
bool lacks_clock(const ClockedLaunch& of) {
  return of.clock == StepClock::kDevice && !of.estimate.device_ns;
}

// Total over all steps.
double total_ns(const std::vector<PhaseTime>& phases, std::string_view name) {
  const auto found = std::find_if(phases.begin(), phases.end(),
                                  [&](const PhaseTime& phase) { return phase.name == name; });
  return found == phases.end() ? kNoNumber : static_cast<double>(found->ns);
}

}  // namespace

double phase_ns(const ClockedLaunch& of, std::string_view phase) {
  if (lacks_clock(of)) return kNoNumber;
  double ns = kNoNumber;
  if (of.clock == StepClock::kDevice) ns = total_ns(of.estimate.device_phases, phase);
  if (std::isnan(ns)) ns = total_ns(of.estimate.phases, phase);
  return ns / static_cast<double>(of.estimate.steps);
}

double phase_share(const LaunchEstimate& estimate, std::string_view phase) {
  return total_ns(estimate.phases, phase) / static_cast<double>(estimate.host_ns);
}

double column_mean(const record::Launch& launch, std::string_view name) {
  const StepColumns steps(launch);
  if (!steps.complete(name)) return kNoNumber;
  return static_cast<double>(steps.sum(name)) / static_cast<double>(steps.steps());
}

double reported(const record::Launch& launch, std::string_view metric) {
  const auto& metrics = launch.row.report.metrics;
  const auto found = metrics.find(metric);
  return found == metrics.end() ? kNoNumber : found->second.value_or(kNoNumber);
}

double reported_per_step(const ClockedLaunch& of, std::string_view metric) {
  return reported(of.launch, metric) / static_cast<double>(of.estimate.steps);
}

double work_rate(const ClockedLaunch& of, const std::optional<std::int64_t>& work) {
  const double ns = step_ns(of.estimate, of.clock);
  if (!work || of.estimate.no_rates || lacks_clock(of) || !(ns > 0)) return kNoNumber;
  return static_cast<double>(*work) / static_cast<double>(of.estimate.steps) / (ns * 1e-9);
}

std::optional<ModelRate> model_rate_of(const ClockedLaunch& of) {
  if (!of.estimate.flops_per_step || of.estimate.no_rates || lacks_clock(of)) return std::nullopt;
  return model_rate(*of.estimate.flops_per_step, of.estimate.device_peak_flops,
                    step_ns(of.estimate, of.clock));
}

namespace {

std::vector<double> values_of(const Estimates& estimates, StepClock clock) {
  std::vector<double> values;
  values.reserve(estimates.size());
  for (const auto& estimate : estimates) {
    const bool timed =
        estimate && (clock != StepClock::kDevice || estimate->device_ns || estimate->latency);
    values.push_back(timed ? headline_ns(*estimate, clock)
                           : std::numeric_limits<double>::quiet_NaN());
  }
  return values;
}

}  // namespace

Estimates estimates_of(std::span<const record::Launch* const> launches) {
  Estimates estimates;
  estimates.reserve(launches.size());
  for (const record::Launch* launch : launches) estimates.push_back(estimate_of(*launch));
  return estimates;
}

StepTimes step_times(std::span<const record::Launch* const> base,
                     std::span<const record::Launch* const> candidate) {
  return step_times(estimates_of(base), estimates_of(candidate));
}

StepTimes step_times(const Estimates& base, const Estimates& candidate) {
  std::optional<StepClock> clock;
  StepTimes times;
  bool timed = false;
  bool untimed = false;
  bool spans = false;
  bool periods = false;
  for (const Estimates* side : {&base, &candidate}) {
    for (const auto& estimate : *side) {
      if (!estimate) continue;
      timed = timed || estimate->device_ns.has_value();
      untimed = untimed || (estimate->on_device && !estimate->device_ns);
      spans = spans || estimate->device_spans;
      periods = periods || (estimate->device_ns && !estimate->device_spans);
      clock = clock ? common(*clock, clock_of(*estimate)) : clock_of(*estimate);
      times.latency = times.latency || estimate->latency.has_value();
    }
  }
  times.clock = clock.value_or(StepClock::kHost);
  times.mixed = timed && untimed && !times.latency;
  times.spans = spans && periods && !times.mixed && !times.latency;
  if (times.mixed) times.clock = StepClock::kDevice;
  if (times.spans) times.clock = StepClock::kHost;
  times.base = values_of(base, times.clock);
  times.candidate = values_of(candidate, times.clock);
  return times;
}

std::vector<MetricMedian> metric_medians(const CaseRow& row) {
  std::vector<MetricMedian> all;
  for (const MeasuredLaunch& each : row.measured) {
    for (const auto& [name, value] : each.launch->row.report.metrics) {
      if (value) all.push_back({name, *value});
    }
  }
  if (row.measured.size() < 2) return all;
  std::stable_sort(all.begin(), all.end(),
                   [](const MetricMedian& a, const MetricMedian& b) { return a.name < b.name; });
  std::vector<MetricMedian> medians;
  std::vector<double> values;
  for (std::size_t i = 0; i < all.size(); ++i) {
    values.push_back(all[i].value);
    if (i + 1 < all.size() && all[i + 1].name == all[i].name) continue;
    medians.push_back({all[i].name, stats::median(values)});
    values.clear();
  }
  return medians;
}

std::string peak_name(const std::set<std::string>& metrics) {
  for (const std::string& name : metrics) {
    if (name.starts_with("peak_") && name.ends_with("_bytes") && name != record::kProcessPeak) {
      return name;
    }
  }
  for (const std::string_view name : {record::kJobPeak, record::kProcessPeak}) {
    if (metrics.contains(std::string(name))) return std::string(name);
  }
  return {};
}

std::string peak_name(std::span<const record::Launch* const> launches) {
  std::set<std::string> metrics;
  for (const record::Launch* launch : launches) {
    for (const auto& [name, value] : launch->row.report.metrics) metrics.insert(name);
  }
  return peak_name(metrics);
}

}  // namespace stepbench::estimate
