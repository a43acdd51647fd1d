// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

#include "harness/estimate/launch_values.h"
#include "harness/report/exports.h"

namespace stepbench::report {

GbenchRepetition gbench_repetition(const estimate::MeasuredLaunch& measured,
                                   const estimate::CaseRow& row) {
  const record::Launch& launch = *measured.launch;
  const estimate::LaunchEstimate& estimate = measured.estimate;
  const estimate::ClockedLaunch of{launch, estimate, row.clock};
  GbenchRepetition one{.steps = estimate.steps,
                       .real_ns = estimate.latency ? estimate.latency->p50_ns
                                                   : estimate::step_ns(estimate, row.clock)};
  const double cpu =
      estimate::reported(launch, "cpu_user_ns") + estimate::reported(launch, "cpu_system_ns");
  if (std::isfinite(cpu) && one.steps > 0) one.cpu_ns = cpu / static_cast<double>(one.steps);
  for (const estimate::PhaseTime& phase : estimate.phases) {
    one.counters[phase.name + "_ns"] =
        static_cast<double>(phase.ns) / static_cast<double>(std::max<std::int64_t>(one.steps, 1));
  }
  for (const auto& [name, metric] : {std::pair{"data_wait_share", "data_wait_share"},
                                     std::pair{"items_per_second", "samples_per_s"},
                                     std::pair{"tokens_per_second", "tokens_per_s"}}) {
    one.counters[name] = estimate::launch_value(of, metric);
  }
  if (estimate.quantiles.p99_ns) one.counters["step_p99_ns"] = *estimate.quantiles.p99_ns;
  for (const char* name : {"peak_rss_bytes", "tree_peak_pss_bytes", "peak_allocated_bytes"}) {
    one.counters[name] = estimate::reported(launch, name);
  }
  std::erase_if(one.counters, [](const auto& counter) { return !std::isfinite(counter.second); });
  return one;
}

}  // namespace stepbench::report
