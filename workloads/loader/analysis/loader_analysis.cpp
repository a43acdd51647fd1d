// SPDX-License-Identifier: Apache-2.0
#include "workloads/loader/analysis/loader_analysis.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

namespace stepbench::loader {
namespace {

constexpr double kCoresFree = 0.7;
constexpr std::int64_t kMaxWorkersPerCore = 8;

}  // namespace

LoaderAnalysis::LoaderAnalysis(const LoaderFacts& facts) : facts_(facts) {
  const LoaderMetrics& m = facts.measured;
  const WindowFacts& window = facts.window;
  calls = static_cast<double>(m.wait_ns.size());
  elapsed_ns = static_cast<double>(window.elapsed_ns);
  const std::int64_t all_ns = std::accumulate(m.wait_ns.begin(), m.wait_ns.end(), std::int64_t{0});
  wait_ns = std::max(0.0, static_cast<double>(all_ns - window.border_next_ns));
  const double steady_ns = elapsed_ns - static_cast<double>(window.border_ns);
  wait_share = elapsed_ns > 0 ? wait_ns / elapsed_ns : 0;
  steady_share = elapsed_ns > 0 ? std::max(0.0, steady_ns / elapsed_ns) : 1;
  for (const LoaderMetrics::Worker& worker : m.workers) {
    busy_ns += static_cast<double>(worker.busy_ns);
    worker_ns += static_cast<double>(worker.busy_ns + worker.idle_ns + worker.blocked_ns);
  }
  const std::array parts = {
      Part{"reading", "loader_fetch_ns", static_cast<double>(m.fetch_ns)},
      Part{"decoding", "loader_decode_ns", static_cast<double>(m.decode_ns)},
      Part{"collating", "loader_collate_ns", static_cast<double>(m.collate_ns)}};
  largest = *std::max_element(parts.begin(), parts.end(),
                              [](const Part& a, const Part& b) { return a.ns < b.ns; });
  batch_ns = static_cast<double>(m.fetch_ns + m.decode_ns + m.collate_ns) / calls;
  const double steps = std::max(1.0, calls - static_cast<double>(window.borders));
  consumer_ns = std::max(0.0, (steady_ns - wait_ns) / steps);
  step_ns = std::max(steady_ns, 1.0) / steps;
  const double cores_ns = elapsed_ns * static_cast<double>(facts.cores);
  cores_used = cores_ns > 0 ? static_cast<double>(window.cpu_ns()) / cores_ns : 0;
}

bool LoaderAnalysis::waits_for_storage() const {
  return largest.metric == "loader_fetch_ns" && cores_used < kCoresFree;
}

std::int64_t LoaderAnalysis::workers_that_keep_up() const {
  const std::int64_t most = facts_.cores * (waits_for_storage() ? kMaxWorkersPerCore : 1);
  if (consumer_ns * static_cast<double>(most) <= batch_ns) return most;
  return std::max<std::int64_t>(1, static_cast<std::int64_t>(std::ceil(batch_ns / consumer_ns)));
}

double LoaderAnalysis::gain_with(std::int64_t workers) const {
  const double then_ns = std::max(consumer_ns, batch_ns / static_cast<double>(workers));
  return steady_share * std::clamp(1 - then_ns / step_ns, 0.0, 1.0);
}

}  // namespace stepbench::loader
