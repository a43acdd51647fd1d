// SPDX-License-Identifier: Apache-2.0
#include "harness/report/gbench_repetition.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <string_view>

namespace stepbench::report {
namespace {

double metric_or_nan(const record::LaunchReport::Metrics& metrics, std::string_view name) {
  const auto found = metrics.find(name);
  return found == metrics.end() || !found->second ? std::nan("") : *found->second;
}

}  // namespace

GbenchRepetition gbench_repetition(const estimate::MeasuredLaunch& measured,
                                   const estimate::CaseRow& row) {
  const estimate::LaunchEstimate& estimate = measured.estimate;
  const record::LaunchReport::Metrics& metrics = measured.launch->row.report.metrics;
  const double step = estimate::step_ns(estimate, row.clock);
  GbenchRepetition one{
      .steps = estimate.steps,
      .real_ns = estimate.latency && !estimate.overloaded() ? estimate.latency->p50_ns : step};
  const double cpu =
      metric_or_nan(metrics, "cpu_user_ns") + metric_or_nan(metrics, "cpu_system_ns");
  if (std::isfinite(cpu) && one.steps > 0) one.cpu_ns = cpu / static_cast<double>(one.steps);
  const auto per_step = [&](std::int64_t ns) {
    return static_cast<double>(ns) / static_cast<double>(std::max<std::int64_t>(one.steps, 1));
  };
  for (const estimate::PhaseTime& phase : estimate.phases) {
    one.counters[phase.name + "_ns"] = per_step(phase.ns);
    if (phase.name == "data_wait") {
      one.counters["data_wait_share"] =
          static_cast<double>(phase.ns) / static_cast<double>(estimate.host_ns);
    }
  }
  const auto add_rate = [&](const char* name, const std::optional<std::int64_t>& count) {
    if (!count || estimate.no_rates || step <= 0) return;
    one.counters[name] = per_step(*count) / (step * 1e-9);
  };
  add_rate("items_per_second", estimate.samples);
  add_rate("tokens_per_second", estimate.tokens);
  if (estimate.quantiles.p99_ns) one.counters["step_p99_ns"] = *estimate.quantiles.p99_ns;
  for (const char* name : {"peak_rss_bytes", "peak_allocated_bytes"}) {
    one.counters[name] = metric_or_nan(metrics, name);
  }
  std::erase_if(one.counters, [](const auto& counter) { return !std::isfinite(counter.second); });
  return one;
}

}  // namespace stepbench::report
