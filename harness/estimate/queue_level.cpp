// SPDX-License-Identifier: Apache-2.0
#include "harness/estimate/queue_level.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "harness/base/value.h"
#include "harness/estimate/launch_values.h"
#include "harness/stats/order.h"

namespace stepbench::estimate {

std::optional<UnevenQueue> uneven_queue(const CaseRow& row) {
  constexpr double kWaits = 0.02;  // share of the host's step; below it the loader is no bottleneck
  constexpr double kLevel = 0.02;  // share of the window's steps
  if (row.measured.empty() || row.data_wait_share.value_or(1) < kWaits) return std::nullopt;
  std::vector<double> at_begin;
  std::vector<double> gained;
  std::vector<double> steps;
  for (const auto& [launch, estimate] : row.measured) {
    const double begin = reported(*launch, "loader_ready_at_begin");
    const double end = reported(*launch, "loader_ready_at_end");
    if (std::isnan(begin) || std::isnan(end)) return std::nullopt;
    const double windows =
        std::max(1.0, number_of(launch->row.report.schedule, "cycles").value_or(1));
    at_begin.push_back(begin / windows);
    gained.push_back((end - begin) / windows);
    steps.push_back(static_cast<double>(estimate.steps) / windows);
  }
  const double more = stats::median(gained);
  const double taken = stats::median(steps);
  if (!(std::abs(more) > kLevel * taken) || !(taken + more > 0)) return std::nullopt;
  const double made_ns = *row.step_ns * taken / (taken + more);
  const double warmup = more < 0 ? taken * stats::median(at_begin) / -more : std::max(taken, more);
  return UnevenQueue{.gained = more,
                     .low_ns = std::min(*row.step_ns, made_ns),
                     .high_ns = std::max(*row.step_ns, made_ns),
                     .more_warmup = std::llround(warmup)};
}

}  // namespace stepbench::estimate
