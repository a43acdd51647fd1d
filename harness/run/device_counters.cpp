// SPDX-License-Identifier: Apache-2.0
#include "harness/run/device_counters.h"

#include <numeric>
#include <string>
#include <string_view>

namespace stepbench::run {
namespace {

struct MeasuredSteps {
  double count = 0;
  double ns = 0;
  double samples = 0;
};

double sum_of(const std::vector<std::int64_t>& values) {
  return static_cast<double>(std::accumulate(values.begin(), values.end(), std::int64_t{0}));
}

// Uses the device's clock if it was read.
MeasuredSteps steps_of(const std::vector<record::CycleSamples>& samples) {
  MeasuredSteps all;
  for (const record::CycleSamples& part : samples) {
    const std::vector<std::int64_t>* ns = part.steps.find("period_device_ns");
    if (ns == nullptr) ns = part.steps.find("step_ns");
    if (ns == nullptr) continue;
    all.count += static_cast<double>(ns->size());
    all.ns += sum_of(*ns);
    if (const auto* consumed = part.steps.find("samples")) all.samples += sum_of(*consumed);
  }
  return all;
}

}  // namespace

void add_device_counters(const machine::WindowCounters& counters,
                         const std::vector<record::CycleSamples>& samples,
                         record::LaunchReport& report) {
  const MeasuredSteps steps = steps_of(samples);
  if (steps.count == 0 || counters.span_ns <= 0) return;
  const double step_ns = steps.ns / steps.count;
  if (const auto watts = counters.power_w()) {
    report.metrics["energy_per_step_j"] = *watts * step_ns * 1e-9;
    if (steps.samples > 0) {
      report.metrics["energy_per_sample_j"] = *watts * steps.ns * 1e-9 / steps.samples;
    }
  }
  for (std::size_t i = 0; i < machine::kCountedReasons.size(); ++i) {
    if (!counters.throttled_ns[i]) continue;
    report.metrics[std::string(machine::kCountedReasons[i].metric)] =
        static_cast<double>(*counters.throttled_ns[i]) / static_cast<double>(counters.span_ns) *
        step_ns;
  }
}

}  // namespace stepbench::run
