// SPDX-License-Identifier: Apache-2.0
#include "harness/estimate/launch_values.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "harness/estimate/step_columns.h"

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

}  // namespace stepbench::estimate
