// SPDX-License-Identifier: Apache-2.0
#include "workloads/loader/loader_report.h"

#include <numeric>
#include <vector>

#include "harness/stats/order.h"

namespace stepbench {
namespace {

std::vector<double> as_doubles(const std::vector<std::int64_t>& values) {
  return {values.begin(), values.end()};
}

}  // namespace

void report_loader(const LoaderMetrics& metrics, ReportSink& sink) {
  if (metrics.wait_ns.empty()) return;
  const auto calls = static_cast<double>(metrics.wait_ns.size());
  const std::vector<double> waits = as_doubles(metrics.wait_ns);
  sink.metric("loader_wait_p50_ns", quantile(waits, 0.5));
  sink.metric("loader_wait_p90_ns", quantile(waits, 0.9));
  sink.metric("loader_wait_p99_ns", quantile(waits, 0.99));
  sink.metric("loader_wait_max_ns", quantile(waits, 1.0));
  sink.metric("loader_fetch_ns", static_cast<double>(metrics.fetch_ns) / calls);
  sink.metric("loader_decode_ns", static_cast<double>(metrics.decode_ns) / calls);
  sink.metric("loader_collate_ns", static_cast<double>(metrics.collate_ns) / calls);
  sink.metric("loader_transport_ns", static_cast<double>(metrics.transport_ns) / calls);
  sink.metric("loader_skipped_samples", static_cast<double>(metrics.skipped_samples));
  if (metrics.epochs > 0) {
    sink.metric("loader_epoch_begin_ns",
                static_cast<double>(metrics.epoch_begin_ns) / static_cast<double>(metrics.epochs));
  }
  if (metrics.workers.empty()) return;
  sink.metric("loader_occupancy", static_cast<double>(metrics.ready) / calls);
  const std::int64_t depth =
      std::accumulate(metrics.queue_depth.begin(), metrics.queue_depth.end(), std::int64_t{0});
  sink.metric("loader_queue_depth", static_cast<double>(depth) / calls);
  LoaderMetrics::Worker sum;
  for (const LoaderMetrics::Worker& worker : metrics.workers) {
    sum.busy_ns += worker.busy_ns;
    sum.idle_ns += worker.idle_ns;
    sum.blocked_ns += worker.blocked_ns;
  }
  const auto total = static_cast<double>(sum.busy_ns + sum.idle_ns + sum.blocked_ns);
  if (total <= 0) return;
  sink.metric("loader_worker_busy", static_cast<double>(sum.busy_ns) / total);
  sink.metric("loader_worker_idle", static_cast<double>(sum.idle_ns) / total);
  sink.metric("loader_worker_blocked", static_cast<double>(sum.blocked_ns) / total);
}

}  // namespace stepbench
