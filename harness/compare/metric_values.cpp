// SPDX-License-Identifier: Apache-2.0
#include "harness/compare/metric_values.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <optional>
#include <string>

#include "harness/estimate/step_columns.h"

namespace stepbench::compare {
namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

struct FromLaunch {
  const record::Launch& launch;
  const estimate::LaunchEstimate& estimate;
  estimate::StepClock clock;
};

std::optional<double> reported_by(const record::Launch& launch, std::string_view metric) {
  const auto& metrics = launch.row.report.metrics;
  const auto found = metrics.find(metric);
  return found == metrics.end() ? std::nullopt : found->second;
}

double per_step(std::int64_t sum, const estimate::LaunchEstimate& estimate) {
  return static_cast<double>(sum) / static_cast<double>(estimate.steps);
}

// Not timed by the device while other launches are.
bool lacks_clock(const estimate::LaunchEstimate& estimate, estimate::StepClock clock) {
  return clock == estimate::StepClock::kDevice && !estimate.device_ns;
}

// Work of a launch over its time.
double rate(const std::optional<std::int64_t>& work, const FromLaunch& from) {
  const double ns = static_cast<double>(estimate::window_ns(from.estimate, from.clock));
  if (!work || from.estimate.no_rates || lacks_clock(from.estimate, from.clock) || !(ns > 0)) {
    return kNan;
  }
  return static_cast<double>(*work) / (ns * 1e-9);
}

std::optional<estimate::ModelRate> model_rate_of(const estimate::LaunchEstimate& estimate,
                                                 estimate::StepClock clock) {
  if (!estimate.flops_per_step || estimate.no_rates || lacks_clock(estimate, clock)) {
    return std::nullopt;
  }
  return estimate::model_rate(*estimate.flops_per_step, estimate.device_peak_flops,
                              estimate::step_ns(estimate, clock));
}

double flops_per_s(const FromLaunch& from) {
  const auto rate = model_rate_of(from.estimate, from.clock);
  return rate ? rate->flops_per_s : kNan;
}

double mfu(const FromLaunch& from) {
  const auto rate = model_rate_of(from.estimate, from.clock);
  return rate ? rate->mfu.value_or(kNan) : kNan;
}

// Of a metric that sums up over the windows: launches may have measured unequally many steps.
double reported_per_step(const FromLaunch& from, std::string_view metric) {
  return reported_by(from.launch, metric).value_or(kNan) / static_cast<double>(from.estimate.steps);
}

double phase_ns(const std::vector<estimate::PhaseTime>& phases, std::string_view name,
                const estimate::LaunchEstimate& estimate) {
  const auto found =
      std::find_if(phases.begin(), phases.end(),
                   [&](const estimate::PhaseTime& phase) { return phase.name == name; });
  return found == phases.end() ? kNan : per_step(found->ns, estimate);
}

struct Estimated {
  std::string_view metric;
  double (*value)(const FromLaunch&);
};
constexpr auto kEstimated = std::to_array<Estimated>({
    {"step_ns",
     [](const FromLaunch& from) { return estimate::step_ns(from.estimate, from.clock); }},
    {"step_host_ns",
     [](const FromLaunch& from) {
       return estimate::step_ns(from.estimate, estimate::StepClock::kHost);
     }},
    {"latency_p50_ns",
     [](const FromLaunch& from) {
       return from.estimate.latency ? from.estimate.latency->p50_ns : kNan;
     }},
    {"step_p50_ns", [](const FromLaunch& from) { return from.estimate.quantiles.p50_ns; }},
    {"step_p90_ns", [](const FromLaunch& from) { return from.estimate.quantiles.p90_ns; }},
    {"step_p99_ns", [](const FromLaunch& from) { return from.estimate.quantiles.any_p99_ns; }},
    {"step_iqr_ns", [](const FromLaunch& from) { return from.estimate.quantiles.iqr_ns; }},
    {"data_wait_share",
     [](const FromLaunch& from) {
       return phase_ns(from.estimate.phases, "data_wait", from.estimate) /
              estimate::step_ns(from.estimate, estimate::StepClock::kHost);
     }},
    {"samples_per_s", [](const FromLaunch& from) { return rate(from.estimate.samples, from); }},
    {"tokens_per_s", [](const FromLaunch& from) { return rate(from.estimate.tokens, from); }},
    {"achieved_flops_per_s", flops_per_s},
    {"mfu", mfu},
    {"cpu_user_ns", [](const FromLaunch& from) { return reported_per_step(from, "cpu_user_ns"); }},
    {"cpu_system_ns",
     [](const FromLaunch& from) { return reported_per_step(from, "cpu_system_ns"); }},
    {"epoch_gap_ns",
     [](const FromLaunch& from) {
       return from.estimate.borders ? from.estimate.borders->gap_ns : kNan;
     }},
    {"epoch_gap_per_step_ns",
     [](const FromLaunch& from) {
       const auto& borders = from.estimate.borders;
       return borders ? borders->gap_ns * per_step(borders->steps, from.estimate) : kNan;
     }},
});

double column_mean(const record::Launch& launch, std::string_view name) {
  const estimate::StepColumns steps(launch);
  if (!steps.complete(name)) return kNan;
  return static_cast<double>(steps.sum(name)) / static_cast<double>(steps.steps());
}

}  // namespace

MetricValues::MetricValues(const CasePair& pair)
    : steps_(estimate::step_times(pair.base.measured, pair.candidate.measured)) {
  for (const record::Launch* launch : pair.base.measured)
    base_.push_back({launch, estimate::estimate_of(*launch)});
  for (const record::Launch* launch : pair.candidate.measured) {
    candidate_.push_back({launch, estimate::estimate_of(*launch)});
  }
}

bool MetricValues::refuses_mfu() const {
  const auto refused = [&](const Read& read) {
    const auto rate = read.estimate ? model_rate_of(*read.estimate, steps_.clock) : std::nullopt;
    return rate && rate->refused;
  };
  return std::any_of(base_.begin(), base_.end(), refused) ||
         std::any_of(candidate_.begin(), candidate_.end(), refused);
}

double MetricValues::value_of(const Read& read, const TestedMetric& metric) const {
  if (!read.estimate) return kNan;
  const FromLaunch from{*read.launch, *read.estimate, steps_.clock};
  if (metric.kind == MetricKind::kPhase) {
    if (lacks_clock(*read.estimate, steps_.clock)) return kNan;
    const bool on_device = steps_.clock == estimate::StepClock::kDevice;
    const double device_ns =
        on_device ? phase_ns(read.estimate->device_phases, metric.name, *read.estimate) : kNan;
    // What the device does not see of the step, the wait for data, is the host's.
    return std::isfinite(device_ns) ? device_ns
                                    : phase_ns(read.estimate->phases, metric.name, *read.estimate);
  }
  for (const Estimated& one : kEstimated) {
    if (one.metric == metric.metric) return one.value(from);
  }
  if (const auto value = reported_by(*read.launch, metric.metric)) return *value;
  return column_mean(*read.launch, metric.metric);
}

MetricValues::Sides MetricValues::of(const TestedMetric& metric) const {
  if (metric.kind == MetricKind::kStep) return {steps_.base, steps_.candidate};
  Sides sides;
  for (const Read& read : base_) sides.base.push_back(value_of(read, metric));
  for (const Read& read : candidate_) sides.candidate.push_back(value_of(read, metric));
  return sides;
}

MetricValues::Sides MetricValues::reported(std::string_view metric) const {
  Sides sides;
  for (const Read& read : base_) {
    sides.base.push_back(reported_by(*read.launch, metric).value_or(kNan));
  }
  for (const Read& read : candidate_) {
    sides.candidate.push_back(reported_by(*read.launch, metric).value_or(kNan));
  }
  return sides;
}

std::int64_t MetricValues::fewest_steps() const {
  std::optional<std::int64_t> fewest;
  for (const std::vector<Read>* side : {&base_, &candidate_}) {
    for (const Read& read : *side) {
      if (!read.estimate) continue;
      fewest = std::min(fewest.value_or(read.estimate->steps), read.estimate->steps);
    }
  }
  return fewest.value_or(0);
}

}  // namespace stepbench::compare
