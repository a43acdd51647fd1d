// SPDX-License-Identifier: Apache-2.0
#include "harness/tune/internal/launch_values.h"

#include <algorithm>
#include <cmath>
#include <string_view>

#include "harness/estimate/columns.h"
#include "harness/estimate/launch_values.h"
#include "harness/record/quality.h"

namespace stepbench::tune {
namespace {

std::optional<double> reported(const record::Launch& launch, std::string_view name) {
  const auto& metrics = launch.row.report.metrics;
  const auto found = metrics.find(name);
  return found == metrics.end() ? std::nullopt : found->second;
}

}  // namespace

std::optional<double> value_of(const record::Launch& launch,
                               const verdict::TestedMetric& objective) {
  const std::optional<estimate::LaunchEstimate> estimate = estimate::estimate_of(launch);
  if (!estimate) return std::nullopt;
  const estimate::StepClock clock = estimate::clock_of(*estimate);
  double value = 0;
  switch (objective.kind) {
    case verdict::MetricKind::kStep:
      value = estimate::headline_ns(*estimate, clock);
      break;
    case verdict::MetricKind::kPhase:
      value = estimate::phase_ns({launch, *estimate, clock}, objective.name);
      break;
    default:
      value = estimate::launch_value({launch, *estimate, clock}, objective.metric);
      break;
  }
  if (!std::isfinite(value) || value <= 0) return std::nullopt;
  return value;
}

double log_cost(double value, Direction direction) {
  return direction == Direction::kHigherIsBetter ? -std::log(value) : std::log(value);
}

std::optional<double> memory_bytes_of(const record::Launch& launch) {
  std::optional<double> most;
  for (const auto& [name, bytes] : launch.row.report.metrics) {
    const bool is_peak = name.starts_with("peak_") && name.ends_with("_bytes");
    // The peak of the process excludes its children.
    if (is_peak && name != record::kProcessPeak && bytes) most = std::max(most.value_or(0), *bytes);
  }
  return most ? most : reported(launch, record::kJobPeak);
}

std::optional<double> cpu_s_per_1k_samples_of(const record::Launch& launch) {
  return reported(launch, "cpu_s_per_1k_samples");
}

double wall_s_of(const record::Launch& launch) {
  constexpr double kSecondsPerNs = 1e-9;
  return static_cast<double>(launch.row.wall_ns) * kSecondsPerNs;
}

bool ran_out_of_memory(const std::string& reason) {
  for (const std::string_view words : {"out of memory", "lack of memory", "allocate memory",
                                       "MemoryError", "bad_alloc", "OutOfMemory"}) {
    if (reason.find(words) != std::string::npos) return true;
  }
  return false;
}

}  // namespace stepbench::tune
